"""Pages and words are topics of the help, found by name, synonym and question, the best first."""

import re
from collections import Counter

import pytest

from jitstudio.analysis.occupancy.calculate import limits_of
from jitstudio.core.arch import Arch
from jitstudio.core.launch.host_needs import DEFAULT_SHARED
from jitstudio.core.launch.simulation import LINE_BYTES, SECTOR_BYTES
from jitstudio.help.explaining import explanations_of
from jitstudio.help.lessons import find_lesson
from jitstudio.help.manual import pages
from jitstudio.help.tables import TABLES
from jitstudio.help.topics import find_topic, find_word, glossary, search
from jitstudio.simulator.observers.accesses import BANK_BYTES, BANKS

_LIMITS = {arch: limits_of(Arch.parse(arch)) for arch in ("sm_90", "sm_120")}
_ANY = _LIMITS["sm_90"]
_LANES = _ANY.threads_per_warp
NUMBERS = {
    "warp": {f"{_LANES}"},
    "lane": {"0", f"{_LANES - 1}"},
    "block": {f"{_ANY.threads_per_block:,}"},
    "sm": {f"{_ANY.partitions}"},
    "warp-scheduler": {f"{_ANY.partitions}"},
    "dynamic-shared-memory": {
        f"{DEFAULT_SHARED >> 10}",
        *(f"{limits.shared_per_block >> 10}" for limits in _LIMITS.values()),
    },
    "cache-line": {f"{LINE_BYTES}", f"{LINE_BYTES // SECTOR_BYTES}"},
    # A warp that loads 4 bytes a thread: neighbours, and each in a sector of its own.
    "sector": {f"{SECTOR_BYTES}", "4", f"{4 * _LANES // SECTOR_BYTES}", f"{_LANES}"},
    "bank": {f"{BANKS}", f"{BANK_BYTES}"},
    "vector-load": {"8", "16", "32"},
    "register": {"32", f"{_ANY.registers:,}", f"{_ANY.registers_per_thread}"},
    "vote": {f"{_LANES}"},
    "double-precision": {"64"},
    "half-precision": {"16"},
    "compute-capability": {"8.0", "8.6", "9.0"},
}
"""The numbers in the entries, from where they are known."""
SINCE = {
    "cluster": "mapa.shared::cluster",
    "cp.async": "cp.async",
    "tma": "cp.async.bulk.tensor",
    "mbarrier": "mbarrier.init",
    "uniform-register": "R2UR",
}
"""Instructions whose first target is that which an entry names."""
QUESTIONS = {
    "what is LDG.E.128": "vector-load",
    "why slow": "slow",
    "what limits occupancy": "occupancy",
    "how do I see what LTO did": "lto",
    "what is a spill": "spill",
    "what does bank conflict mean": "bank-conflict",
    "ld.global.nc": "read-only-cache",
    "how to compare with yesterday": "baseline",
    "how to share": "share",
    "no GPU": "without-gpu",
}
_NUMBER = re.compile(r"(?<![\w.])\d[\d,.]*\d|(?<![\w.])\d")
_CODE = re.compile(r"`([^`]+)`")
_LESSON = re.compile(r"Lesson (\d+)")
ENTRIES = pytest.mark.parametrize("entry", glossary().values(), ids=[*glossary()])


def prose_of(entry):
    """The sentences of an entry, without heading, targets of links and code."""
    text = re.sub(r"\]\(action:\w+\)", "]", entry.text.partition("\n")[2])
    return _CODE.sub("", text)


@pytest.mark.parametrize(
    ("topic", "name"),
    [
        *((word, word) for word in ("register", "occupancy", "spill", "warp", "race")),
        ("coalescing", "coalescing"),
        ("shared-memory", "shared-memory"),
        ("Bank Conflicts", "bank-conflict"),
        ("registers", "register"),
        ("latencies", "latency"),
        ("uncoalesced", "coalescing"),
        ("__syncthreads", "barrier"),
        ("link time optimization", "lto"),
    ],
)
def test_words_are_topics_by_title_synonym_and_plural(topic, name):
    assert find_topic(topic) is glossary()[name]


def test_there_are_about_a_hundred_words_each_with_names_of_its_own():
    assert 90 <= len(glossary()) <= 120
    assert len(glossary()) == pages()["words"].text.count("\n### ")
    names = [name for e in glossary().values() for name in {e.title.casefold(), *e.synonyms}]
    assert [name for name, count in Counter(names).items() if count > 1] == []
    for entry in glossary().values():
        assert find_word(entry.title) is entry
        assert [s for s in entry.synonyms if find_word(s) is not entry] == []


@ENTRIES
def test_an_entry_is_short_and_its_claims_are_those_of_the_tables(entry):
    assert 14 <= len(prose_of(entry).split()) <= 50
    numbers = set(_NUMBER.findall(_LESSON.sub("", re.sub(r"\([^)]*\)", "", prose_of(entry)))))
    assert numbers == NUMBERS.get(entry.name, set())
    opcodes = [code for code in _CODE.findall(entry.text) if re.fullmatch("[A-Z][A-Z.]+", code)]
    assert [code for code in opcodes if not explanations_of(code)] == []
    for number in _LESSON.findall(entry.text):
        lesson = find_lesson(number)
        words = set(" ".join((entry.title.casefold(), *entry.synonyms)).split())
        assert any(word in lesson.text.casefold() for word in words), lesson.title


@pytest.mark.parametrize(("name", "instruction"), SINCE.items())
def test_the_first_target_of_a_word_is_that_of_its_instruction(name, instruction):
    (meaning, *_) = explanations_of(instruction)
    (target,) = re.findall(r"From (sm_\d+)", glossary()[name].text.replace("\n", " "))
    assert f"{target} and later" in meaning.since or (target, meaning.since) == ("sm_75", "")


def test_code_runs_on_the_targets_that_the_entry_names():
    assert Arch.parse("sm_80").runs_on(86)
    assert not Arch.parse("sm_80").runs_on(90)
    assert not Arch.parse("sm_90a").runs_on(100)


@pytest.mark.parametrize(("question", "name"), QUESTIONS.items())
def test_the_first_answer_to_a_question_is_the_topic_that_it_is_about(question, name):
    assert search(question)[0] is find_topic(name)


def test_titles_come_before_synonyms_and_those_before_texts():
    topics = search("race")
    assert topics[0] is glossary()["race"]
    assert search("memory bound")[0] is glossary()["bandwidth"]
    in_text = [topic for topic in search("prefetch") if "prefetch" not in topic.synonyms]
    assert search("prefetch")[0] is glossary()["latency-hiding"]
    assert all("prefetch" in topic.folded for topic in in_text)
    assert search("qwertz") == []
    assert search(" ?! ") == []
    # The page of all words has every word.
    assert pages()["words"] not in search("bank conflict")
    assert search("GPU words")[0] is pages()["words"]
    # While a word is typed, its beginning finds it.
    assert search("occup")[0] is glossary()["occupancy"]


def test_tables_that_only_mention_the_words_come_last():
    names = [topic.name for topic in search("compare")]
    mentioned = [name for name in names if name in TABLES and "compare" not in name]
    assert mentioned
    assert names[-len(mentioned) :] == mentioned


def test_a_page_that_has_the_name_of_a_word_stays_a_topic():
    section = pages()["window"].sections["ptx"]
    assert find_topic("ptx") is section
    assert search("ptx")[:2] == [glossary()["ptx"], section]
