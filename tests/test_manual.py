"""The pages of the manual say what the code says, and lead only to what there is."""

import ast
import re

import pytest

pytest.importorskip("PySide6")

from jitstudio.cli import COMMANDS
from jitstudio.cli.arguments import command_parsers
from jitstudio.cli.help import page_lines
from jitstudio.gui.shell.commands.actions import ACTIONS
from jitstudio.gui.shell.pane_registry import PANES
from jitstudio.help.manual import INDEX, anchor_of, groups, pages, tables, topic_of_name
from jitstudio.help.tables import TABLES
from jitstudio.help.topics import GLOSSARY, find_topic, similar_topics
from tests.manual import PAGES, TABLE, written
from tests.support import ROOT

_TARGET = re.compile(r"\]\(([^)]+)\)")
_WORD = re.compile(r"\S*\w\S*")
_CONTROL = re.compile(r"(?<![\w*`\\])\*([^*`\n]+(?:\n[^*`\n]+)?)\*(?![\w*])")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`|^ {4}.*$", re.MULTILINE)
_EARLIER = """
    budgets build building caches capture captured command-line compare editor exports figures files
    graph index json json-code json-launch kernels keys launch lessons lexers library licences
    limits link log matching mcp names opened options panes pipeline problems programs
    project-format projects ptx python report sass scripts search settings simulator step
    tool-options toolchains trust variants welcome
"""


def test_each_table_and_command_is_that_of_the_code():
    stale = [
        p.name for p in PAGES.glob("*.md") if written(p.read_text("utf-8")) != p.read_text("utf-8")
    ]
    assert stale == [], "python3 -m tests.manual brings them up to date"


def test_the_manual_is_short():
    # The glossary is looked up word by word; `tests/test_topics.py` keeps its entries short.
    paths = [path for path in PAGES.glob("*.md") if path.stem != GLOSSARY]
    texts = [_COMMENT.sub("", TABLE.sub("", path.read_text("utf-8"))) for path in paths]
    assert sum(len(_WORD.findall(text)) for text in texts) <= 18_000
    assert len(texts) <= 32


def test_each_page_is_listed_and_leads_only_to_what_there_is():
    assert {path.stem for path in PAGES.iterdir()} == set(pages())
    assert [p.name for group in groups().values() for p in group] == list(pages())[1:]
    ids = {spec.id for spec in ACTIONS}
    for page in (*pages().values(), *tables().values()):
        assert page.text.startswith(f"# {page.title}\n")
        assert set(page.commands) <= ids, page.name
        for link in page.links:
            assert topic_of_name(link) is not None, (page.name, link)
        shown = page.with_commands(lambda name: f"<{name}>")
        for target in _TARGET.findall(shown):
            outside = target.startswith("https://")
            assert outside or re.fullmatch(r"([\w-]+\.md)?(#[\w-]+)?", target), (page.name, target)
        for topic in re.findall(r"`jitstudio help ([a-z-]+)`", page.text):
            assert find_topic(topic) is not None, (page.name, topic)


def test_headings_of_a_page_are_anchors_of_their_own():
    for page in (*pages().values(), *tables().values()):
        headings = re.findall(r"^#+ (.+)$", page.text, re.M)
        assert len({anchor_of(heading) for heading in headings}) == len(headings), page.name


def test_panes_earlier_pages_and_what_f1_asks_for_are_topics():
    sources = (path.read_text("utf-8") for path in (ROOT / "jitstudio" / "gui").rglob("*.py"))
    asked = {name for text in sources for name in re.findall(r'explain_by\(\S+ "([^"]+)"\)', text)}
    assert "settings" in asked
    for name in (*asked, *_EARLIER.split(), *(pane.name for pane in PANES)):
        topic = find_topic(name)
        assert topic is not None, name
        # Of a word of the glossary there is no pane.
        assert topic_of_name(topic.name) is topic, name


def texts_of_the_window():
    """The texts in the code of the window, without mnemonics and ellipses."""
    for path in (ROOT / "jitstudio" / "gui").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value.replace("&", "").rstrip("…").strip()


def pattern_of(text):
    """A pattern for a text with placeholders, whatever these stand for."""
    return re.compile(".+".join(map(re.escape, re.split(r"\{\w+[^}]*\}", text))))


def test_each_control_that_a_page_names_is_in_the_window():
    named = {
        " ".join(name.split()): page.name
        for page in pages().values()
        for name in _CONTROL.findall(_CODE.sub("`", page.text))
    }
    assert "Hide failed" in named
    texts = set(texts_of_the_window())
    patterns = [pattern_of(text) for text in texts if re.search(r"\w.*\{\w|\}.*\w", text)]
    missing = {
        name: page
        for name, page in named.items()
        if name not in texts and not any(pattern.fullmatch(name) for pattern in patterns)
    }
    assert missing == {}


def test_a_page_in_a_terminal_has_no_markdown_and_keeps_its_width():
    for page in (*pages().values(), *tables().values()):
        lines = page_lines(page, 100)
        assert lines[:2] == [page.title, "=" * len(page.title)]
        text = "\n".join(lines)
        assert "](" not in text
        assert "**" not in text.replace("/**", "")
    section = topic_of_name("files#opening-what-others-wrote")
    prose = page_lines(section, 72)
    assert prose[0] == "Opening what others wrote"
    assert max(map(len, prose)) <= 72
    assert "- Opening a pupil's project runs nothing and reads no file outside its" in prose


def test_topics_are_pages_sections_and_tables_by_name_and_heading():
    assert find_topic("JSON") is find_topic("json output") is pages()["json"]
    lowered_names = pages()["window"].sections["lowered-names"]
    assert find_topic("Lowered names") is find_topic("names") is lowered_names
    assert find_topic("window#sass") is find_topic("SASS") is pages()["window"].sections["sass"]
    assert find_topic("json-code") is tables()["json-inspect"]
    assert find_topic("jsn") is None
    assert similar_topics("jsn")[0] == "json"
    assert similar_topics("doctr", *COMMANDS)[0] == "doctor"


def test_help_prints_pages_sections_tables_and_commands(run):
    listed = run("help")
    assert listed.code == 0
    assert all(f"  {name} " in listed.out for name in pages())
    assert all(name in listed.out for name in TABLES)
    assert run("help", "lowered", "names").out.startswith("Lowered names\n=====")
    sass = run("help", "sass").out
    assert sass.startswith("SASS\n====\n")
    assert "Go to kernels" not in sass
    assert run("help", "doctor").out == run("doctor", "--help").out
    ran = run("help", "bugets")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no topic 'bugets'. Did you mean budgets or budget?" in ran.err
    assert run("help", "capture").out.endswith("jitstudio help python#a-program-that-runs\n")


def test_tables_are_made_of_what_the_program_knows(run):
    options = run("help", "tool-options").out
    assert "--maxrregcount=<0..255>" in options
    assert "Floating point\n-----" in options
    assert "registers" in run("help", "conditions").out
    launch = tables()["json-run"].text
    assert "| `buffers[].strays[].distance` | bytes from its edge |" in launch
    assert "see [simulation](#simulation)" in launch
    assert "## simulation\n" in launch


def test_the_index_has_its_sections():
    assert list(groups()) == ["Learn", "Do", "Look up"]
    assert find_topic("help") is pages()[INDEX]


def test_the_names_of_the_commands_are_those_of_the_grammar():
    assert set(COMMANDS) == set(command_parsers())
