"""The advice on launches: each case has a message that asks for it."""

import tomllib

from jitstudio.core.launch import advice as module
from tests.support import ROOT

CASES = tomllib.loads((ROOT / "resources/launch/advice.toml").read_text("utf-8"))


def test_each_case_is_asked_for_by_code_and_is_a_sentence_or_more():
    name = f"from {module.__name__} import advice"
    texts = [path.read_text("utf-8") for path in (ROOT / "jitstudio").rglob("*.py")]
    readers = "\n".join(text for text in texts if name in text)
    assert [case for case in CASES if f'"{case}"' not in readers] == []
    assert [case for case, text in CASES.items() if not text.endswith(".")] == []


def test_advice_on_several_cases_stands_one_behind_the_other():
    both = f"{CASES['race']} {CASES['some-orders']}"
    assert module.advice("race", "some-orders") == both
    assert module.advice() == ""
