"""FL004, FL005: the text can be read, but not all readers read the same out of it."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from tapeview.rules._file_fault import NOWHERE, FileFault
from tapeview.rules._rule import Bad, Fault, Good
from tapeview.rules._words import short
from tapeview.tape.block import JsonPath
from tapeview.tape.clean import printable
from tapeview.tape.oddity import Oddity
from tapeview.tape.sizes import count
from tapeview.tape.stored import Stored

__all__ = ["DuplicateKeys", "NotANumber"]

ASK = b'{"role": "user", "content": "What does the crate weigh?"}\n'
TOLD = b'{"role": "assistant", "content": "Forty kilograms."}\n'
CALL = b"""{"role": "assistant", "content": [
  {"type": "tool_use", "id": "toolu_01", "name": "weigh", "input": {"crate": %b}}]}"""
WEIGHED = b"""{"role": "user", "content": [
  {"type": "tool_result", "tool_use_id": "toolu_01", "content": "40"}]}"""


def _body(call: bytes, head: bytes = b"") -> bytes:
    return b'{%b"messages": [%b, %b, %b]}' % (head, ASK.strip(), call, WEIGHED)


class _OddJson(FileFault):
    """One finding a record, or a member of a document, however often it is odd in that way."""

    doubled: ClassVar[bool]

    @abstractmethod
    def words(self, first: Oddity, where: str) -> str:
        """What the first of them is; ``where`` is "" at the top of a record or document."""

    def faults(self, stored: Stored) -> Iterator[Fault]:
        """First those of the document around its messages, then those of the records."""
        around: dict[object, list[Oddity]] = {}
        for odd in stored.frame_oddities:
            if odd.doubled == self.doubled:
                around.setdefault((odd.path or (odd.word,))[0], []).append(odd)
        for found in around.values():
            path = printable(_joined(found[0].path or (found[0].word,)))
            yield Fault(NOWHERE, self._sentence(found, "the document"), path=path or '""')
        for record, odd_ones in stored.oddities.items():
            if found := [odd for odd in odd_ones if odd.doubled == self.doubled]:
                yield Fault(NOWHERE, self._sentence(found, ""), record=record)

    def _sentence(self, found: Sequence[Oddity], top: str) -> str:
        sentence = self.words(found[0], _joined(found[0].path) or top)
        more = len(found) - 1
        return f"{sentence}; {count(more, 'more place')} like it" if more else sentence


def _joined(path: JsonPath) -> str:
    return short(".".join(map(str, path)))


class DuplicateKeys(_OddJson):
    """An object spells the same key twice.

    JSON leaves open which of the two counts: Python, JavaScript and Go keep the last value, some
    readers keep the first, strict ones refuse the whole text. So a harness, a proxy and the API may
    each read another conversation out of one file. Texts that are put together by hand or by a
    template make it, and merges of two versions.

    tapeview keeps the last value, but of two `messages` at the top of a body the last that is an
    array. It looks at every depth of each record and of the document around them. Take one of the
    two out in an editor.
    """

    code: ClassVar[str] = "FL004"
    name: ClassVar[str] = "duplicate-keys"
    rank: ClassVar[int] = 95
    doubled: ClassVar[bool] = True
    good = (
        Good("one key in two objects is no double", _body(CALL % b'{"id": 1, "of": {"id": 2}}')),
        Good("a key inside a string is text", _body(CALL % b'"{\\"id\\": 1, \\"id\\": 2}"')),
    )
    bad = (
        Bad(
            "an input says two things, however deep",
            _body(CALL % b'[{"id": 1, "\\u0069d": 2}]'),
            ("records.1",),
        ),
        Bad("a record has two roles", b'{"role": "assistant", ' + ASK[1:] + TOLD, ("records.0",)),
        Bad(
            "a body has two arrays of messages",
            _body(CALL % b"7", b'"model": "claude-sonnet-4-5", "messages": [], '),
            ("messages",),
        ),
        Bad(
            "a tool describes itself twice",
            _body(CALL % b"7", b'"tools": [{"name": "weigh", "name": "weigh"}], '),
            ("tools.0",),
        ),
    )

    def words(self, first: Oddity, where: str) -> str:
        """Names the key."""
        place = f" in {where}" if where else ""
        key = short(first.word)
        return f'the key "{key}" stands twice{place}: most readers keep the last, some the first'


class NotANumber(_OddJson):
    """`NaN`, `Infinity` or `-Infinity` stands where JSON has no such word.

    Python writes these words unless it is told not to. JavaScript, Go and the API refuse the whole
    text for one of them: the body is never sent, and a harness passes the line over.

    tapeview reads them. Put `null` or a number in their place in an editor.
    """

    code: ClassVar[str] = "FL005"
    name: ClassVar[str] = "not-a-number"
    rank: ClassVar[int] = 96
    doubled: ClassVar[bool] = False
    good = (
        Good("in a string it is a word", _body(CALL % b'"NaN, Infinity"')),
        Good("a huge number is a number", _body(CALL % b"1e999")),
    )
    bad = (
        Bad("an input holds NaN", _body(CALL % b'{"kg": [NaN, -Infinity]}'), ("records.1",)),
        Bad("a parameter is infinite", _body(CALL % b"7", b'"top_k": Infinity, '), ("top_k",)),
    )

    def words(self, first: Oddity, where: str) -> str:
        """Names the word."""
        place = f" at {where}" if where else ""
        word = f"{first.word} stands{place} where JSON has no such word"
        return f"{word}: strict readers refuse it all"
