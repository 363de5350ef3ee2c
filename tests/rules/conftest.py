"""Tests against the shared tapes and generators need ``TAPEVIEW_SHARED``, a folder."""

import os

collect_ignore = [] if os.environ.get("TAPEVIEW_SHARED") else ["test_tapes.py", "test_generated.py"]
