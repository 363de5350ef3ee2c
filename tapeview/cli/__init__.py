"""The command line: words to one function each. The only place that prints, and that exits."""

from tapeview.cli._program import run

__all__ = ["run"]
