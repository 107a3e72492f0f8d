import pytest

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.command_keys import COMMAND_KEYS
from jitstudio.gui.listing.hints import output_hint
from jitstudio.gui.state.outputs import SHOWN_KINDS, Absence, Output


@pytest.mark.parametrize("absence", Absence)
def test_each_absence_has_words_of_its_own(absence):
    hints = [output_hint(kind, Output(absence=absence)) for kind in SHOWN_KINDS]
    others = {output_hint(CodeKind.PTX, Output(absence=a)) for a in Absence if a is not absence}
    assert not others.intersection(hints)
    assert (hints[0] != hints[1]) is (absence is Absence.NOT_MADE)


def test_a_failed_build_says_how_and_a_held_one_by_which_keys(monkeypatch):
    reason = "Build failed, line 3: expected a '{' (and 1 more)."
    hint = output_hint(CodeKind.PTX, Output(absence=Absence.FAILED, reason=reason))
    assert hint == f"{reason}\nThe Problems list says more."
    monkeypatch.setattr(COMMAND_KEYS, "words", lambda name: {"buildAction": "F9"}[name])
    assert output_hint(CodeKind.SASS, Output(absence=Absence.HELD)).endswith("To build: F9.")
