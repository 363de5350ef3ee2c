"""The problems pane: one line a finding, worst first."""

from textual.strip import Strip

from tapeview.rules._engine import Finding
from tapeview.snapshot import Snapshot
from tapeview.tape.clean import cells, cut, pad, printable
from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.widgets.line_list import LineList

__all__ = ["Problems"]

QUIET = ("pending", "info")
"""Severities behind the last row: nothing is wrong there."""

PATH = 23


class Problems(LineList):
    """Findings of one snapshot, by rank; what is only pending folds into the last row."""

    def __init__(
        self, snapshot: Snapshot, *, glyphs: Glyphs = UNICODE, id: str | None = None
    ) -> None:
        super().__init__(glyphs=glyphs, id=id)
        self.unfolded = False
        self._take(snapshot)

    def _take(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.loud = [f for f in snapshot.findings_by_rank if f.severity not in QUIET]
        self.quiet = [f for f in snapshot.findings_by_rank if f.severity in QUIET]

    def show(self, snapshot: Snapshot) -> None:
        """Other findings: of what is shown now."""
        self._take(snapshot)
        self.rows_changed()

    def row_count(self) -> int:
        """Faults, and the row that stands for the rest."""
        more = len(self.quiet) if self.unfolded else 0
        return len(self.loud) + bool(self.quiet) + more

    def finding_at(self, row: int) -> Finding | None:
        """The finding of a row; None for the row that folds the rest."""
        if row < len(self.loud):
            return self.loud[row]
        place = row - len(self.loud) - 1
        return self.quiet[place] if 0 <= place < len(self.quiet) else None

    @property
    def finding(self) -> Finding | None:
        """The finding under the cursor."""
        return self.finding_at(self.cursor)

    def point_at(self, finding: Finding) -> None:
        """Bring the cursor to a finding, if it is listed."""
        for row in range(self.row_count()):
            if self.finding_at(row) is finding:
                self.move_to(row)
                return

    def toggle(self) -> bool:
        """Fold or unfold what is pending; whether the cursor stands on that row."""
        if self.finding is not None or not self.quiet:
            return False
        self.unfolded = not self.unfolded
        self.rows_changed()
        return True

    def paint_row(self, index: int, width: int, selected: bool) -> Strip:
        """Sign, code, turn, path, sentence."""
        ground = ("select" if self.has_focus else "raised") if selected else "background"
        cursor_style = "accent" if self.has_focus else "muted"
        parts = [(self.glyphs.cursor if selected else " ", cursor_style), (" ", "fg")]
        finding = self.finding_at(index)
        if finding is None:
            return self.ink.strip([*parts, *self._fold_parts()], width, ground)
        sign, style = self._sign(finding)
        turn = f"turn {finding.turn}" if finding.turn else ""
        path = pad(cut(finding.at, PATH, self.glyphs.cut), PATH)
        parts += [
            (f"{sign} {finding.rule.code:<6} ", style + " bold"),
            (f"{turn:<8} ", "muted"),
            (f"{path}  ", "fg"),
        ]
        room = max(0, width - sum(cells(text) for text, _ in parts) - 1)
        parts.append((cut(printable(finding.sentence), room, self.glyphs.cut), "fg"))
        return self.ink.strip(parts, width, ground)

    def _fold_parts(self) -> list[tuple[str, str]]:
        glyphs = self.glyphs
        sign = glyphs.opened if self.unfolded else glyphs.folded
        words = [
            f"{number} {severity}"
            for severity in QUIET
            if (number := sum(f.severity == severity for f in self.quiet))
        ]
        return [(f"{sign} ", "accent"), (", ".join(words), "muted")]

    def _sign(self, finding: Finding) -> tuple[str, str]:
        glyphs = self.glyphs
        return {
            "error": (glyphs.error, "error"),
            "warning": (glyphs.warning, "warn"),
            "suspicion": (glyphs.suspicion, "suspicion"),
            "pending": (glyphs.pending_end, "pending"),
            "info": (glyphs.note, "muted"),
        }[finding.severity]
