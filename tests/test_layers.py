"""The house rules that a machine can hold: who may import whom, sizes, names, docstrings."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tapeview

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "tapeview"

FLOORS = (
    {"errors", "commands", "crash"},
    {"tape", "settings"},
    {"edit", "shapes"},
    {"wire"},
    {"rules", "formats"},
    {"snapshot"},
    {"swapping", "windowing", "unsettled"},
    {"open_session"},
    {"loading", "keep", "calls", "capture"},
    {"looks"},
    {"search", "picker"},
    {"tui"},
    {"cli"},
    {"__main__", "pytest_plugin"},
)
"""From the ground up. A unit imports from the floors below it; units of one floor do not know each
other."""

OUTSIDE = {
    "tape": {"msgspec"},
    "settings": {"msgspec"},
    "commands": set(),
    "errors": set(),
    "calls": {"msgspec", "aiohttp", "anthropic", "httpx2", "genai_prices", "xllamacpp"},
    "capture": {"msgspec", "aiohttp", "multidict", "yarl", "anthropic", "httpx2", "pytest"},
    "pytest_plugin": {"pytest"},
}
"""Third-party packages that a unit may import, where those are others than msgspec."""

LATE = {
    "anthropic": {"calls/run.py", "capture/sdk_hook.py", "capture/pytest_fixture.py"},
    "httpx2": {"calls/run.py", "capture/sdk_hook.py"},
    "genai_prices": {"calls/price.py"},
    "xllamacpp": {"calls/local_server.py"},
}
"""Packages that cost a start dearly, or may be missing: where they are imported, in functions."""
AT_TOP = {"capture/sdk_hook.py"}
"""Modules that nobody loads who has not loaded the package already."""

MOST_LINES = 400
MOST_FUNCTION_LINES = 60
LONGER: dict[str, str] = {}
"""``path`` or ``path:function`` to the reason why it may be longer."""

VALUES = {
    "calls/reply.py",
    "edit/speller.py",
    "errors.py",
    *(f"tape/{name}.py" for name in ("block", "call", "record", "session", "shape", "tape")),
}
"""Modules of values alone: whoever makes the values tests them."""

PUBLIC_CALLS = {"open", "check", "record", "replay", "play"}
"""Functions of the package's public face; no module may take their names."""

MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(path) for path in MODULES}


def unit_of(name):
    """``tape`` for ``tapeview.tape.link``; "" for the package itself."""
    return ([*name.split("."), ""])[1]


def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imports_of(path):
    """Every module that is imported, at the top or in a function, by name or out of a package."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            named = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from named & NAMES
            if named - NAMES:
                yield node.module


def floor_of(unit):
    """The package itself, "", is the public face above all of them."""
    return next((k for k, floor in enumerate(FLOORS) if unit in floor), len(FLOORS))


def ids(path):
    return str(path.relative_to(PACKAGE))


every_module = pytest.mark.parametrize("path", MODULES, ids=ids)


def test_every_package_has_a_floor():
    units = {unit_of(name_of(path)) for path in MODULES} - {""}
    assert units == set().union(*FLOORS)


@every_module
def test_imports_go_down(path):
    unit = unit_of(name_of(path))
    for imported in imports_of(path):
        below = unit_of(imported)
        if not imported.startswith("tapeview") or below in ("", unit) or not unit:
            continue  # the package itself is the public face: it imports whatever it shows
        assert floor_of(below) < floor_of(unit), f"{unit} imports {imported}"


@every_module
def test_packages_from_outside_stay_where_they_belong(path):
    unit = unit_of(name_of(path))
    allowed = OUTSIDE.get(unit, {"msgspec"}) | ({"textual", "rich"} if unit == "tui" else set())
    outside = {imported.split(".")[0] for imported in imports_of(path)}
    assert outside - set(sys.stdlib_module_names) - {"tapeview"} <= allowed


@every_module
def test_what_is_heavy_is_imported_late_and_in_one_place(path):
    names = {imported.split(".")[0] for imported in imports_of(path)}
    assert {name for name in LATE if ids(path) not in LATE[name]}.isdisjoint(names)
    early = {
        name.split(".")[0]
        for node in tree_of(path).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        )
    }
    assert early.isdisjoint(LATE) or ids(path) in AT_TOP


def test_no_modules_import_each_other_in_a_circle():
    graph = {
        name_of(path): {
            imported for imported in imports_of(path) if imported.startswith("tapeview.")
        }
        for path in MODULES
    }
    done: set[str] = set()
    for start in graph:
        open_modules: list[str] = []
        _walk(start, graph, open_modules, done)


def test_a_module_out_of_a_package_is_an_import_of_that_module():
    assert "tapeview.tui.screens.main_bars" in set(imports_of(PACKAGE / "tui/screens/main.py"))


def _walk(name, graph, open_modules, done):
    assert name not in open_modules, f"a circle: {open_modules} {name}"
    if name in done:
        return
    open_modules.append(name)
    for imported in graph.get(name, ()):
        _walk(imported, graph, open_modules, done)
    open_modules.pop()
    done.add(name)


LOADED = """
import sys
HEAVY = "aiohttp anthropic genai_prices httpx2 orjson pydantic rich textual".split()
from tapeview.cli import run
run(sys.argv[1:])
print("loaded:", *sorted(set(HEAVY) & set(sys.modules)))
"""


@pytest.mark.parametrize(
    "words",
    [["check"], ["check", "--json"], ["show", "--full"], ["request"], ["edit", "--export"]],
    ids=lambda words: " ".join(words),
)
def test_the_command_line_loads_no_screen_and_no_client(words):
    sample = str(ROOT / "sample_sessions" / "crash.jsonl")
    done = subprocess.run(
        [sys.executable, "-c", LOADED, words[0], sample, *words[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    assert done.stdout.splitlines()[-1] == "loaded:"


def test_the_public_face_loads_what_is_asked_for():
    asked = "import sys, tapeview, tapeview.pytest_plugin; print(*sys.modules); tapeview.play"
    done = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True
    )
    units = {unit_of(name) for name in done.stdout.split() if name.startswith("tapeview.")}
    assert units == {"capture", "pytest_plugin"}
    assert not {"aiohttp", "anthropic"} & set(done.stdout.split())
    with pytest.raises(AttributeError):
        tapeview.nothing  # noqa: B018
    assert tapeview.__all__ == sorted(tapeview.__all__)
    assert all(callable(getattr(tapeview, name)) for name in tapeview.__all__)


def test_no_module_takes_the_name_of_a_public_function():
    flat = [path for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()]
    names = {path.stem for path in flat if not path.name.startswith("__")}
    assert not names & (PUBLIC_CALLS | set(getattr(tapeview, "__all__", ())))


@every_module
def test_files_and_functions_are_short(path):
    name = ids(path)
    if name not in LONGER:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = node.end_lineno - node.lineno + 1
            assert lines <= MOST_FUNCTION_LINES or f"{name}:{node.name}" in LONGER, node.name


def test_every_exception_from_the_sizes_still_exists():
    known = {ids(path) for path in MODULES}
    assert {name.partition(":")[0] for name in LONGER} <= known
    assert all(LONGER.values())


@every_module
def test_what_is_public_has_a_docstring(path):
    tree = tree_of(path)
    assert ast.get_docstring(tree)
    for owner, node in public(tree, ""):
        assert ast.get_docstring(node), f"{owner}{node.name}"


def public(node, owner):
    """Public classes, functions and methods; what overrides or is magic may go without."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if child.name.startswith("_"):
            continue
        yield owner, child
        if isinstance(child, ast.ClassDef):
            yield from public(child, f"{child.name}.")


@every_module
def test_what_is_exported_is_there_and_sorted(path):
    tree = tree_of(path)
    exported = next(
        (
            ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
        ),
        None,
    )
    if path.name == "__init__.py":
        return
    assert exported, "no __all__"
    assert len(exported) == len(set(exported))


def test_modules_have_tests_of_their_name():
    """``tape/link.py`` is tested by ``tests/tape/test_link.py``; families share theirs."""
    shared = {
        "formats": {"test_formats", "test_messages", "test_claude_code", "test_registry"},
        "rules": {"test_rules", "test_engine"},
    }
    for path in MODULES:
        unit = unit_of(name_of(path))
        if path.name.startswith("_") or unit in shared or unit == "tui":
            continue
        if ids(path) in VALUES:
            continue
        folder = ROOT / "tests" / path.parent.relative_to(PACKAGE)
        assert (folder / f"test_{path.name}").is_file(), name_of(path)
    for unit, names in shared.items():
        for name in names:
            assert (ROOT / "tests" / unit / f"{name}.py").is_file()
