"""All that is derived of a session, as values that can be compared: with each other, or anew."""

from msgspec.structs import astuple

from tapeview.snapshot import Snapshot
from tapeview.tape.block import BlockFacts


def anew(opened):
    """The main tape with everything worked out from its records."""
    session = opened.session
    whole = opened._store.session(
        session.records, session.member_records, session.frame, session.as_read
    )
    return Snapshot(whole, whole.main, opened.purpose, opened.revision)


def asked(snapshot):
    """The same snapshot with all that painting a screen asks for."""
    for known in (
        snapshot.gutters(4),
        snapshot.gutters(3),
        snapshot.findings,
        snapshot.row_of,
        snapshot.turn_row_of,
        snapshot.sent_now,
        snapshot.sent_index.links,
        snapshot.sent_index.sizes,
        snapshot.sent_index.signed,
    ):
        del known
    return snapshot


def derived(snapshot):
    """Everything of it."""
    session = snapshot.session
    return {
        "records": session.records,
        "positions": {record: session.positions[record] for record in session.records},
        "head": (session.title, session.folder, session.frame),
        "tapes": [_tape(tape) for tape in session.tapes],
        **_index("stored", snapshot.index),
        **_index("sent", snapshot.sent_index),
        "same": snapshot.sent_index is snapshot.index,
        "rows": [astuple(row) for row in snapshot.rows],
        "row of": {key: snapshot.row_of.get(key) for key in _keys(snapshot)},
        "gutters": [(list(drawn), width) for drawn, width in map(snapshot.gutters, (3, 4))],
        "findings": [_finding(snapshot, finding) for finding in snapshot.findings],
        "severities": snapshot.severity_counts,
        "turn facts": dict(snapshot.turn_facts),
        "turn rows": dict(snapshot.turn_row_of),
        "turn sizes": list(snapshot.turn_sizes),
        "sent sizes": list(snapshot.sent_sizes),
        "verdict": snapshot.verdict,
        "breaks": snapshot.tape.breaks,
    }


def _keys(snapshot):
    for record in snapshot.session.records:
        yield record
        yield from record.blocks


def _name(block):
    """A block; what the harness adds is made anew each time."""
    return (block.kind, block.id, block.size) if block.facts & BlockFacts.ADDED else block


def _tape(tape):
    return {
        "identity": (tape.id, tape.kind, tape.own, tape.caller, tape.first_turn, tape.resume),
        "messages": [(*_message(message), message.spelled_role) for message in tape.messages],
        "sent": [_message(message) for message in tape.sent],
        "unsent": dict(tape.unsent),
    }


def _message(message):
    blocks = tuple(_name(block) for block in message.blocks)
    added = any(block.facts & BlockFacts.ADDED for block in message.blocks)
    return message.role, message.id, blocks, () if added else message.records


def _index(name, index):
    links = [_link(link) for link in index.links]
    return {
        f"{name} sides": [astuple(side) for side in index.sides],
        f"{name} side numbers": dict(index.side_numbers),
        f"{name} turns": list(index.turns),
        f"{name} starts": list(index.turn_starts),
        f"{name} links": links,
        f"{name} link of": {_name(b): _link(link) for b, link in index.link_of.items()},
        f"{name} link numbers": {
            _name(end.block): index.link_numbers[end.block]
            for link in index.links
            for end in link.ends
        },
        f"{name} link counts": index.link_counts,
        f"{name} places": [(_name(block), place) for block, place in index.places.items()],
        f"{name} record of": [_holder(index, block) for block in index.places],
        f"{name} far": sorted(index.far),
        f"{name} ids": {key: number for key, number in index.ids.items() if number},
        f"{name} sizes": list(index.sizes),
        f"{name} signed": list(index.signed),
    }


def _holder(index, block):
    record = index.record_of[block]
    return _name(block) if block.facts & BlockFacts.ADDED else record


def _link(link):
    ends = [(_name(end.block), end.place, end.side) for end in link.ends]
    return link.state, link.call is None, ends


def _finding(snapshot, finding):
    return (
        finding.rule.code,
        finding.severity,
        finding.sent,
        finding.place,
        finding.record,
        finding.block,
        finding.at,
        finding.turn,
        finding.api_path,
        finding.api_message,
        finding.sentence,
        finding.repairs,
        snapshot.row_of_finding(finding),
    )
