"""Runs the rules over a tape, stored and sent, and says what each finding means."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Literal

import msgspec

from tapeview.rules._rule import SEVERITIES, Fault, Rule, Severity
from tapeview.tape.block import Block, Place
from tapeview.tape.index import Index
from tapeview.tape.record import Record

__all__ = ["Finding", "Purpose", "check", "path_of", "worst"]

Purpose = Literal["request", "session"]
"""What is asked: would the API take this array next; or is this log of a session sound."""


class Finding:
    """One fault at one place of the stored chain, and what becomes of it when the tape is sent."""

    def __init__(
        self,
        rule: Rule,
        fault: Fault,
        stored: Index,
        sent: Index,
        seen: Fault | None,
        as_: Purpose,
    ) -> None:
        self.rule = rule
        self.fault = fault
        self._stored = stored
        self._sent = sent
        self._seen = seen
        self._purpose = as_

    def moved(self, stored: Index, sent: Index, became: Mapping[Record, Record]) -> "Finding":
        """The same finding after an edit that left all places and kinds as they were."""
        fault = self.fault
        if fault.record is not None:
            record = became.get(fault.record, fault.record)
            fault = msgspec.structs.replace(fault, record=record)
        return Finding(self.rule, fault, stored, sent, self._seen, self._purpose)

    def shifted(self, stored: Index, sent: Index, by: int = 0, sent_by: int = 0) -> "Finding":
        """The same finding after an edit that moved its message by so many."""
        fault, seen = _shifted(self.fault, by), self._seen
        if seen is not None:
            seen = fault if sent is stored else _shifted(seen, sent_by)
        return Finding(self.rule, fault, stored, sent, seen, self._purpose)

    def order(self) -> tuple[Place, int, str]:
        """What findings of a tape are in order by."""
        return self.place, self.rule.rank, self.rule.code

    @property
    def points_on(self) -> bool:
        """Whether its sentence names another place or another turn."""
        return self.rule.points_on(self.fault, self._stored)

    @property
    def sent(self) -> bool:
        """Whether the fault is in the sent tape."""
        return self._seen is not None and not self.fault.is_of_file

    @property
    def severity(self) -> Severity:
        """The rule's own, lowered where nothing is broken yet or the harness mends it."""
        if self.fault.unfinished and self._purpose == "session":
            return "pending"
        if not self.sent and self.rule.severity == "error":
            return "warning"
        return self.rule.severity

    @property
    def place(self) -> Place:
        """Where on the stored chain."""
        return self.fault.place

    @property
    def at(self) -> str:
        """The place's path on the stored chain; ``records.N`` for a fault of the file."""
        return path_of(self.fault, self._stored)

    @property
    def block(self) -> Block | None:
        """The block concerned; None where it is a whole message, or the tape."""
        return self._stored.block_at(self.fault.place) if self.fault.place.message >= 0 else None

    @cached_property
    def record(self) -> Record | None:
        """The record that holds the place."""
        if self.fault.record is not None:
            return self.fault.record
        number, block = self.fault.place.message, self.block
        if not 0 <= number < len(self._stored.messages):
            return None
        message = self._stored.messages[number]
        return message.first if block is None else self._stored.record_of.get(block, message.first)

    @property
    def turn(self) -> int:
        """The number of the turn it stands in; 0 before the first."""
        turn = self._stored.turn_of(self.fault.place.message)
        return turn.number if turn else 0

    @property
    def api_path(self) -> str:
        """The API's path: on the sent tape where the fault is sent, else on the stored chain."""
        return self.rule.api_path(*self._for_the_api)

    @property
    def api_message(self) -> str:
        """The API's words, with the same numbers."""
        return self.rule.api_message(*self._for_the_api)

    @property
    def _for_the_api(self) -> tuple[Fault, Index]:
        return (self.fault, self._stored) if self._seen is None else (self._seen, self._sent)

    @property
    def sentence(self) -> str:
        """What is wrong, in our words, and what resume does about it."""
        if self.severity == "pending" or self.sent or self.fault.is_of_file:
            return self.fault.sentence
        mended = self.rule.mended_on(self.fault, self._stored, self._sent)
        return f"{self.fault.sentence}; {mended}"

    @property
    def repairs(self) -> tuple[str, ...]:
        """Ids of the repairs that fit."""
        return self.rule.repairs_for(self.fault, self._stored)


def check(
    rules: Iterable[Rule], stored: Index, sent: Index | None, purpose: Purpose
) -> tuple[Finding, ...]:
    """Every finding, in the order of places. ``sent`` is None where it equals the stored chain."""
    found: list[Finding] = []
    for rule in rules:
        if stored.dialect not in rule.dialects:
            continue
        faults = list(rule.find(stored))
        if not faults:
            continue
        if sent is None:
            found += [Finding(rule, f, stored, stored, f, purpose) for f in faults]
            continue
        still = {_key(fault, sent): fault for fault in rule.find(sent)}
        for fault in faults:
            seen = still.get(_key(fault, stored))
            found.append(Finding(rule, fault, stored, sent, seen, purpose))
    found.sort(key=Finding.order)
    return tuple(found)


def _shifted(fault: Fault, by: int) -> Fault:
    if not by or fault.place.message < 0:
        return fault
    message, block, nested = fault.place
    return msgspec.structs.replace(fault, place=Place(message + by, block, nested))


def path_of(fault: Fault, index: Index) -> str:
    """Where a fault is, in words of the stored chain or of the file."""
    if fault.record is not None and index.stored is not None:
        return f"records.{index.stored.number_of[fault.record]}"
    return fault.path or index.path(fault.place)


def _key(fault: Fault, index: Index) -> object:
    """The same fault on two tapes: the same block, or the same first record of a message."""
    number = fault.place.message
    if not 0 <= number < len(index.messages):
        return None
    block = index.block_at(fault.place)
    if block is not None:
        return id(block), fault.place.nested
    records = index.messages[number].records
    return id(records[0]) if records else None


def worst(findings: Iterable[Finding]) -> Severity | None:
    """The worst severity among the findings; None without any."""
    found = {finding.severity for finding in findings}
    return next((severity for severity in SEVERITIES if severity in found), None)
