"""`jitstudio explain` says of words in code what the window's tips say, and knows the GPU words."""

import re

import pytest

from jitstudio.analysis.findings.model import _texts, findings_called
from jitstudio.analysis.reference import reference
from jitstudio.core.code import CodeKind
from jitstudio.help.explaining import explanations_of
from jitstudio.help.topics import find_topic
from tests.test_topics import QUESTIONS


def test_an_opcode_is_explained_with_all_its_modifiers(run):
    ran = run("explain", "LDG.E.128")
    assert ran.code == 0
    words = reference(CodeKind.SASS).explain("LDG.E.128", opens=True)
    assert ran.out.startswith(f"SASS: {words.entry.form}\n  {words.entry.text}\n")
    for name, text in (*words.entry.operands, *((m.name, m.text) for m in words.modifiers)):
        assert re.search(rf"^  {re.escape(name)} +{re.escape(text)}$", ran.out, re.M), name
    assert [modifier.name for modifier in words.modifiers] == [".E", ".128"]


def test_an_instruction_of_ptx_says_since_when_it_is_there(run):
    out = run("explain", "ld.global.nc").out
    assert out.startswith("PTX: ld.global")
    assert "\n  PTX 3.1, sm_32 and later\n" in out


@pytest.mark.parametrize(
    ("text", "kind", "title"),
    [
        ("BAR.SYNC", CodeKind.SASS, "BAR.SYNC"),
        ("bar.sync", CodeKind.PTX, "bar"),
        ("ldg.e.128", CodeKind.SASS, "LDG"),
        ("/*0150*/ @!P0 STG.E desc[UR4][R2.64], R5 ;", CodeKind.SASS, "STG"),
        ("ld.global.f32 %f1, [%rd4];", CodeKind.PTX, ".global"),
        ("%tid.x", CodeKind.PTX, "%tid.x"),
        ("SR_TID.X", CodeKind.SASS, "SR_TID.X"),
        (".reg", CodeKind.PTX, ".reg"),
        ("threadIdx.x", CodeKind.CUDA, "uint3 threadIdx"),
        ("getelementptr", CodeKind.LLVM_IR, "getelementptr"),
    ],
)
def test_words_and_lines_of_each_language_are_explained(text, kind, title):
    meanings = {meaning.kind: meaning for meaning in explanations_of(text)}
    assert title in meanings[kind.title].title
    assert meanings[kind.title].text


def test_capitals_tell_sass_from_ptx():
    assert [meaning.kind for meaning in explanations_of("BAR.SYNC")] == ["SASS"]
    assert [meaning.kind for meaning in explanations_of("bar.sync")] == ["PTX"]


def test_a_word_of_the_glossary_is_explained_behind_those_of_code(run):
    assert run("explain", "bank", "conflicts").out.startswith("Bank conflict\n====")
    out = run("explain", "barrier").out
    assert out.startswith("PTX: barrier")
    assert "\n\nBarrier\n=======\n\nA place" in out


def test_a_finding_is_explained_by_its_rule_and_its_title(run):
    out = run("explain", "banks").out
    (finding,) = (f for f in findings_called("banks") if f.title == "Bank conflicts")
    assert f"Finding ({finding.severity.value}): {finding.title}\n" in out
    assert " ".join(finding.remedy.split()) in " ".join(out.split())
    assert "{" not in out
    by_title = run("explain", "registers", "are", "spilled").out
    assert by_title.startswith("Finding (warning): Registers are spilled\n")
    # The word of the glossary comes first.
    out = run("explain", "spills").out
    assert out.startswith("Spill\n=====\n")
    assert by_title in out


def test_each_rule_has_findings_without_places_for_figures():
    rules = {key.partition(".")[0] for key in _texts()}
    for rule in rules:
        for finding in findings_called(rule):
            assert finding.rule == rule
            assert not re.search("[{}]", f"{finding.title}{finding.reason}{finding.remedy}")
            assert "…L" not in finding.reason
    assert findings_called("no such rule") == ()


def test_an_unknown_word_names_the_nearest(run):
    ran = run("explain", "LDGG")
    assert (ran.code, ran.out) == (2, "")
    assert "Did you mean 'LDG'?" in ran.err
    assert "Did you mean" not in run("explain", "zzzzzz").err


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("what is a spill?", "spill"),
        ("what is LDG.E.128", "LDG.E.128"),
        ("what does __shfl_sync do", "__shfl_sync"),
    ],
)
def test_a_question_is_answered_as_its_word(run, question, word):
    ran = run("explain", *question.split())
    assert ran.code == 0
    assert ran.out == run("explain", word).out


def test_a_question_about_more_than_a_word_is_led_to_the_page_of_the_help(run):
    ran = run("explain", "why", "slow")
    assert ran.code == 2
    assert ran.err.rstrip().endswith("'jitstudio help slow' prints 'My kernel is slow'.")


@pytest.mark.parametrize(("question", "name"), QUESTIONS.items())
def test_help_answers_a_question_or_lists_the_answer_first(run, question, name):
    """In two steps at most: what is listed first is a topic of help."""
    ran = run("help", question)
    title = find_topic(name).title
    assert ran.code == 0
    if not ran.out.startswith(f"{title}\n"):
        listed = re.findall(r"^  (\S+) {2,}", ran.out, re.M)
        assert listed[0] == name
        assert run("help", listed[0]).out.startswith(f"{title}\n")


def test_help_explains_words_of_code_and_leads_to_the_meaning_of_a_page(run):
    assert run("help", "LDG.E").out.startswith("SASS: LDG")
    assert run("help", "ptx").out.rstrip().endswith("'jitstudio explain PTX' says what it means.")
    assert run("explain", "PTX").out.startswith("PTX\n===")


def test_the_answer_as_json_has_the_parts_of_the_text(run):
    answer = run("explain", "ld.global.nc", "--json").json
    (meaning,) = answer["meanings"]
    assert (meaning["kind"], meaning["since"]) == ("PTX", "PTX 3.1, sm_32 and later")
    assert [operand["name"] for operand in meaning["operands"]] == ["d", "a"]
    assert answer["topic"]["name"] == "read-only-cache"
    (meaning,) = run("explain", "LDG.E.128", "--json").json["meanings"]
    assert [modifier["name"] for modifier in meaning["modifiers"]] == [".E", ".128"]
    kinds = [meaning["kind"] for meaning in run("explain", "spills", "--json").json["meanings"]]
    assert kinds == ["Finding (warning)"]
    unknown = run("explain", "LDGG", "--json")
    assert (unknown.code, unknown.json["nearest"]) == (2, "LDG")
    assert (unknown.json["meanings"], unknown.json["topic"]) == ([], None)


def test_an_option_needs_no_dashes_in_front(run):
    plain = run("explain", "--", "--maxrregcount", "spills")
    ran = run("explain", "--maxrregcount")
    assert (ran.code, ran.out) == (0, run("explain", "--", "--maxrregcount").out)
    assert run("explain", "--maxrregcount", "spills").out == plain.out
    assert run("explain", "--maxrregcount", "--json").json["word"] == "--maxrregcount"
    assert "the following arguments are required" in run("explain", "--json").err
