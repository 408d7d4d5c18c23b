"""One word for one thing: the glossary is true of the tree, and no name and no page has a word that it rules out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from duetime.api.document.openapi import build_document
from duetime.api.table import TABLE
from surface.names import PAGES, ROOT, SOURCE, Identifier, identifiers, names_in, words_of

GLOSSARY = ROOT / "docs/glossary.md"
RULED_OUT = "## Words that name nothing here"


class Rule(NamedTuple):
    """A pattern over identifiers in snake case that must find none, except in paths that match `except_in`."""

    pattern: str
    say: str
    except_in: str = r"^$"


RULES = (
    Rule(r"lack", "unmet_labels"),
    Rule(r"pace", "batch_size", r"backfill|engine/services|^client/|^cli/|^api/"),
    Rule(r"turns", "lane_order", r"^bench/"),
    Rule(r"lately", "brief_cache, or a span of time"),
    Rule(r"adrift", "needs_repair"),
    Rule(r"doubts?", "unanswered"),
    Rule(r"strays?", "never_started"),
    Rule(r"go", "launch, promote, start"),
    Rule(r"places?", "position, placement", r"^bench/|^api/server/explain"),
    Rule(r"queues?", "flow", r"^api/|^cli/|^client/|targets/|^work/|worker|bench/puller|model/pull"),
    Rule(r"steps?_aside", "wait_behind"),
    Rule(r"give_back", "release"),
    Rule(r"take(?!_back)", "pick, acquire", r"offer|^bus/|launching/|^work/|worker|bench/puller"),
    Rule(r"tell|told", "hint, wake"),
    Rule(r"somebody|whoever|anew", "a noun of the domain"),
)
WHOLE_NAMES = {"stand": "next_in_lane", "over": "ended", "offers_over": "offers_ended"}
PLAIN = re.compile(
    r"\b(somebody|whoever|who comes|anew|go(?:es)? by|but for|of before|as a rule|gone on with|word of|what is ahead"
    r"|lately|adrift)\b|\b(?:is|are|was) over(?=[.,;:)]|$)"
)
"""What a page says in plainer words."""


def breach(one: Identifier) -> str | None:
    """What to say instead of an identifier that breaks a rule."""
    snake = "_".join(words_of(one.name))
    for rule in RULES:
        if re.search(rf"(?:^|_)(?:{rule.pattern})(?:_|$)", snake) and not re.search(rule.except_in, one.path):
            return rule.say
    return WHOLE_NAMES.get(snake)


def test_no_ruled_out_word_names_anything() -> None:
    broken = {one: say for one in identifiers() if (say := breach(one))}
    assert not broken, "\n".join(f"{one.path}: {one.kind} {one.name}: say {say}" for one, say in broken.items())


@pytest.mark.parametrize(
    ("name", "path", "broken"),
    [
        ("lack", "engine/asking/insight.py", True),
        ("_resolve_doubts", "engine/settling/rescue.py", True),
        ("LaneTurns", "engine/lanes/order.py", True),
        ("go_on", "store/port.py", True),
        ("take", "engine/due/pick.py", True),
        ("take", "store/offer_port.py", False),
        ("own_queue", "api/jobs/parse.py", False),
        ("queued", "engine/due/backlog.py", False),
        ("replace", "engine/lanes/in_memory.py", False),
        ("handed_over", "bus/port.py", False),
    ],
)
def test_the_rules_find_what_they_are_for(name: str, path: str, broken: bool) -> None:
    assert (breach(Identifier(name, path, "function")) is not None) is broken


def test_every_word_has_one_line_and_a_home() -> None:
    text = GLOSSARY.read_text("utf-8").split("The store's ports")[0]
    rows = [row.split(" | ") for row in re.findall(r"^\| (?!word|---)(.+) \|$", text, re.MULTILINE)]
    assert len(rows) > 80
    words = [row[0] for row in rows]
    assert sorted(set(words)) == sorted(words), "a word has two lines"
    for word, meaning, home in rows:
        assert meaning.endswith("."), word
        assert re.fullmatch(r"`duetime\.[\w.]+`", home), word


def test_every_stage_of_the_engine_has_a_word() -> None:
    named = names_in(GLOSSARY)
    stages = {path.parent.name for path in (SOURCE / "engine").glob("*/__init__.py")}
    assert len(stages) >= 8
    unnamed = [one for one in stages if not any(f"{name}.".startswith(f"duetime.engine.{one}.") for name in named)]
    assert unnamed == []


def test_every_store_port_has_a_word() -> None:
    text = "\n".join(path.read_text("utf-8") for path in (SOURCE / "store").glob("*.py"))
    ports = set(re.findall(r"^class (\w+Store)\([^)]*Protocol", text, re.MULTILINE))
    assert len(ports) >= 13
    assert ports - {name.rpartition(".")[2] for name in names_in(GLOSSARY)} == set()


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs/one-job.md"], ids=lambda page: page.name)
def test_the_glossary_is_linked(page: Path) -> None:
    assert "glossary.md)" in page.read_text("utf-8")


@pytest.mark.parametrize("page", [*PAGES, SOURCE / "engine/lanes/DESIGN.md"], ids=lambda page: page.name)
def test_pages_use_plain_words(page: Path) -> None:
    text = page.read_text("utf-8").split(RULED_OUT)[0]
    # The table of ablations is written by a program, from its own words.
    text = re.sub(r"<!-- ablations -->.*<!-- /ablations -->", "", text, flags=re.DOTALL)
    flat = " ".join(text.split())
    assert [flat[max(0, found.start() - 40) : found.end() + 20] for found in PLAIN.finditer(flat)] == []


def test_the_description_of_the_api_is_in_whole_plain_sentences() -> None:
    said = sorted({text for text in described(build_document(TABLE, "1")) if text})
    assert len(said) > 250
    assert [text for text in said if PLAIN.search(text) or not text.endswith((".", "?"))] == []


def described(value: Any) -> Iterator[str]:
    """Every description in an OpenAPI document."""
    for name, below in value.items() if isinstance(value, dict) else enumerate(value):
        if name == "description" and isinstance(below, str):
            yield " ".join(below.split())
        elif isinstance(below, dict | list):
            yield from described(below)
