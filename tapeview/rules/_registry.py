"""All rules, found by walking this package."""

import importlib
import inspect
import pkgutil
from functools import cache

import tapeview.rules
from tapeview.rules._rule import Rule

__all__ = ["all_rules", "page_of"]


@cache
def all_rules() -> tuple[Rule, ...]:
    """One instance of each rule, by code."""
    found: list[Rule] = []
    for module in pkgutil.iter_modules(tapeview.rules.__path__):
        if module.name.startswith("_"):
            continue
        loaded = importlib.import_module(f"tapeview.rules.{module.name}")
        found += [
            kind()
            for kind in vars(loaded).values()
            if isinstance(kind, type)
            and issubclass(kind, Rule)
            and not kind.__name__.startswith("_")
            and kind.__module__ == loaded.__name__
        ]
    return tuple(sorted(found, key=lambda rule: rule.code))


def page_of(rule: Rule) -> str:
    """The rule's page: its docstring, unindented."""
    return inspect.cleandoc(type(rule).__doc__ or "")
