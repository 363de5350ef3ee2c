"""A home with sessions of Claude Code in it, as small as they can be."""

import json
import os
from pathlib import Path

__all__ = ["FakeHome", "assistant", "user"]


def user(content, **more):
    """A line with what a user says."""
    return {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "sessionId": "s",
        "timestamp": "2026-03-02T08:00:00.000Z",
        "message": {"role": "user", "content": content},
    } | more


def assistant(content, **more):
    """A line with what the model answers."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    message = {"role": "assistant", "id": "msg_1", "model": "claude-x", "content": blocks}
    return {
        "type": "assistant",
        "uuid": "a1",
        "parentUuid": "u1",
        "sessionId": "s",
        "timestamp": "2026-03-02T08:00:05.000Z",
        "message": message,
    } | more


class FakeHome:
    """``environ`` names it; each session is written with ``put``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.environ = {"HOME": str(path)}
        self.projects = path / ".claude" / "projects"

    def put(self, folder, name, *lines, written=0.0, data=None):
        """Write a session last changed at ``written``, in seconds; its path."""
        path = self.projects / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
        path.write_bytes(text if data is None else data)
        os.utime(path, (written, written))
        return path

    def talk(self, folder, name, prompt, *, cwd, written=0.0):
        """A healthy session of one prompt and one answer."""
        lines = user(prompt, cwd=cwd), assistant("Done.", cwd=cwd)
        return self.put(folder, f"{name}.jsonl", *lines, written=written)

    def agent(self, session, name, *, dangling=False):
        """The file of a sub-agent beside a session; with ``dangling`` a call was never answered."""
        call = {"type": "tool_use", "id": f"toolu_{name}", "name": "Bash", "input": {}}
        lines = [user("count"), assistant([call] if dangling else "one")]
        lines += [user("again", uuid="u2", parentUuid="a1"), assistant("two", uuid="a2")]
        lines[3] |= {"parentUuid": "u2", "message": lines[3]["message"] | {"id": "msg_2"}}
        beside = session.relative_to(self.projects).with_suffix("") / "subagents"
        side = [line | {"isSidechain": True, "agentId": name} for line in lines]
        return self.put(beside, f"agent-{name}.jsonl", *side)

    def broken(self, folder, name, prompt, *, cwd, written=0.0):
        """A session with a call that is answered twice, which stays wrong when it is resumed."""
        call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}
        lines = [user(prompt), assistant([call]), user([result, result], uuid="u2")]
        lines.append(assistant("Done.", uuid="a2"))
        lines[2]["parentUuid"], lines[3]["parentUuid"] = "a1", "u2"
        lines[3]["message"]["id"] = "msg_2"
        whole = [line | {"cwd": cwd} for line in lines]
        return self.put(folder, f"{name}.jsonl", *whole, written=written)
