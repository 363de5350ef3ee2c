"""``python -m tapeview`` and the ``tapeview`` command."""

import sys

from tapeview.cli import run
from tapeview.crash import install

__all__ = ["main"]


def main() -> None:
    """Run the program with the process's own words; exits with its code."""
    install()
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
