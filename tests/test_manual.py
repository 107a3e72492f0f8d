"""The pages of the manual say what the code says, and lead only to what there is."""

import re

import pytest

pytest.importorskip("PySide6")

from jitstudio.cli import COMMANDS
from jitstudio.cli.arguments import command_parsers
from jitstudio.cli.help import page_lines
from jitstudio.gui.shell.commands.actions import ACTIONS
from jitstudio.gui.shell.pane_registry import PANES
from jitstudio.help.manual import pages
from jitstudio.help.topics import find_topic, similar_topics
from tests.manual import PAGES, written

_TARGET = re.compile(r"\]\(([^)]+)\)")


def test_each_table_and_command_is_that_of_the_code():
    stale = [
        p.name for p in PAGES.glob("*.md") if written(p.read_text("utf-8")) != p.read_text("utf-8")
    ]
    assert stale == [], "python3 -m tests.manual brings them up to date"


def test_each_page_is_listed_and_leads_only_to_what_there_is():
    assert {path.stem for path in PAGES.iterdir()} == set(pages())
    assert {pane.name for pane in PANES} <= set(pages())
    ids = {spec.id for spec in ACTIONS}
    for page in pages().values():
        assert page.text.startswith(f"# {page.title}\n")
        assert set(page.links) <= set(pages()), page.name
        assert set(page.commands) <= ids, page.name
        shown = page.with_commands(lambda name: f"<{name}>")
        for target in _TARGET.findall(shown):
            assert target.endswith(".md") or target.startswith("https://"), (page.name, target)


def test_a_page_in_a_terminal_has_no_markdown_and_keeps_its_width():
    for page in pages().values():
        lines = page_lines(page, 100)
        assert lines[:2] == [page.title, "=" * len(page.title)]
        text = "\n".join(lines)
        assert "](" not in text
        assert "**" not in text.replace("/**", "")
    prose = page_lines(pages()["trust"], 72)
    assert max(map(len, prose)) <= 72
    assert "- Opening a pupil's project runs nothing and reads no file outside its" in prose


def test_topics_are_found_by_name_and_title():
    assert find_topic("JSON") is find_topic("json output") is pages()["json"]
    assert find_topic("jsn") is None
    assert similar_topics("jsn")[0] == "json"
    assert similar_topics("doctr", *COMMANDS) == ["doctor"]


def test_help_prints_pages_topics_and_commands(run):
    listed = run("help")
    assert listed.code == 0
    assert all(f"  {name} " in listed.out for name in pages())
    assert run("help", "lowered", "names").out.startswith("Lowered names\n=====")
    assert run("help", "doctor").out == run("doctor", "--help").out
    ran = run("help", "projcts")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no topic 'projcts'. Did you mean projects?" in ran.err


def test_the_names_of_the_commands_are_those_of_the_grammar():
    assert set(COMMANDS) == set(command_parsers())
