import pytest
from PySide6.QtCore import QModelIndex, Qt

from jitstudio.core.options import OPTIONS, OptionGroup, find
from jitstudio.core.tools import Tool
from jitstudio.gui.features.options.model import (
    CHANGED_ROLE,
    FLAG,
    NAME,
    VALUE,
    OptionsFilter,
    OptionsModel,
    OptionValues,
)
from jitstudio.gui.kit.presentation import MUTED_ROLE

FTZ, REGISTERS, MACRO, INFO = (
    find(flag)[0] for flag in ("-ftz", "--maxrregcount", "-D", "-lineinfo")
)


def test_a_text_is_seen_as_values():
    values = OptionValues("-lineinfo -ftz=1 -maxrregcount 64 -DN=4 -D 'NAME=a b'")
    assert values.values(INFO) == (None,)
    assert values.values(FTZ) == ("true",)
    assert values.values(REGISTERS) == ("64",)
    assert values.values(MACRO) == ("N=4", "NAME=a b")
    assert values.other == ""


@pytest.mark.parametrize(
    "option",
    [
        "--bogus",
        "nvrtc:-lineinfo",
        "-ftz=maybe",
        "-ftz",
        "--maxrregcount=many",
        "--maxrregcount=1000",
        "--std=c++99",
        "-lineinfo=1",
        "-arch=sm_80",
    ],
)
def test_what_no_row_can_show_is_kept_among_the_others(option):
    values = OptionValues(f"-G {option} -DN=4")
    assert values.other == option
    values.set_values(INFO, (None,))
    assert values.text == f"-G {option} -DN=4 -lineinfo"


def test_an_option_for_the_only_tool_that_takes_it_is_shown():
    assert OptionValues("nvjitlink:-O0").values(find("-O0")[0]) == ("0",)


def test_a_change_leaves_the_words_of_all_others():
    values = OptionValues("-fma=0 -I include -maxrregcount 64 --bogus")
    values.set_values(REGISTERS, ("32",))
    assert values.text == "-fma=0 -I include --maxrregcount=32 --bogus"
    values.set_values(REGISTERS, ())
    assert values.text == "-fma=0 -I include --bogus"


def test_the_last_of_two_counts_and_one_is_left_after_a_change():
    values = OptionValues("-ftz=true -G -ftz=false")
    assert values.values(FTZ) == ("false",)
    values.set_values(FTZ, ("true",))
    assert values.text == "-ftz=true -G"


def test_text_is_kept_as_typed_until_something_is_changed():
    typed = '  -DNAME="a b"   -lineinfo '
    values = OptionValues(typed)
    assert values.text == typed
    values.set_values(INFO, ())
    assert values.text == "'-DNAME=a b'"


def test_an_open_quote_is_a_problem_and_loses_nothing():
    values = OptionValues("-lineinfo")
    values.set_text("-lineinfo -DNAME='a")
    assert values.text == "-lineinfo -DNAME='a"
    assert "No closing quotation" in values.problem
    assert values.values(INFO) == (None,)
    values.set_text("-G")
    assert values.problem == ""
    assert values.values(INFO) == ()


def test_what_will_be_refused_is_warned_of():
    assert "Target field" in OptionValues("-arch=sm_80").warning
    assert OptionValues("-lineinfo").warning == ""


def test_the_others_can_be_replaced():
    values = OptionValues("--one -lineinfo --two")
    values.set_other("--three 'a b'")
    assert values.text == "--three 'a b' -lineinfo"
    with pytest.raises(ValueError, match="Check the quotes"):
        values.set_other("'")
    assert values.other == "--three 'a b'"


def test_a_reset_keeps_the_others():
    values = OptionValues("-lineinfo --one -ftz=1 -DN=1 nvrtc:-G")
    values.reset()
    assert values.text == "--one nvrtc:-G"


@pytest.fixture
def model(qapp):
    return OptionsModel()


@pytest.fixture
def place(model):
    """The index of an option by its flag."""

    def find_index(flag, column=VALUE):
        spec = find(flag)[0]
        for row in range(model.rowCount()):
            group = model.index(row, 0)
            for child in range(model.rowCount(group)):
                if model.spec_at(model.index(child, 0, group)) is spec:
                    return model.index(child, column, group)
        raise LookupError(flag)

    return find_index


def text(index):
    return index.data(Qt.ItemDataRole.DisplayRole)


def test_it_is_a_sound_model(model, qtmodeltester):
    qtmodeltester.check(model)


def test_it_has_every_option_under_its_group(model):
    groups = [model.index(row, 0) for row in range(model.rowCount())]
    assert [text(group) for group in groups] == [group.value for group in OptionGroup]
    assert sum(model.rowCount(group) for group in groups) == len(OPTIONS)


def test_values_are_told_in_words(model, place):
    assert text(place("-ftz")) == "default (off)"
    assert text(place("--maxrregcount")) == "default"
    assert text(place("-D")) == "none"
    model.set_text("-ftz=1 --maxrregcount=64 -DA -DB=2")
    assert text(place("-ftz")) == "on"
    assert text(place("--maxrregcount")) == "64"
    assert text(place("-D")) == "A, B=2"
    assert text(place("-arch")) == "set elsewhere"


def test_what_differs_is_marked_and_so_is_its_group(model, place):
    assert not place("-ftz").data(CHANGED_ROLE)
    model.set_text("-ftz=1")
    assert place("-ftz").data(CHANGED_ROLE)
    assert model.index(place("-ftz").parent().row(), NAME).data(CHANGED_ROLE)
    assert not place("-fmad").data(CHANGED_ROLE)
    assert place("-ftz", NAME).data(Qt.ItemDataRole.FontRole).bold()


def test_a_tick_is_written_into_the_text(model, place, qtbot):
    with qtbot.waitSignal(model.text_changed) as changed:
        model.setData(place("-lineinfo"), Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    assert changed.args == ["-lineinfo"]
    assert place("-lineinfo").data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    model.setData(place("-lineinfo"), Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    assert model.values.text == ""


def test_a_text_from_elsewhere_is_not_told_back(model, qtbot):
    with qtbot.assertNotEmitted(model.text_changed), qtbot.waitSignal(model.reread):
        model.set_text("-lineinfo")


def test_what_jitstudio_sends_cannot_be_edited(model, place):
    assert not model.flags(place("-arch")) & Qt.ItemFlag.ItemIsEditable
    assert not model.setData(place("-arch"), ("sm_80",))
    assert "Target field" in model.why_not(find("-arch")[0])


def test_nothing_can_be_edited_while_the_text_cannot_be_read(model, place):
    model.set_text("-DNAME='")
    assert not model.setData(place("-ftz"), ("true",))
    assert model.values.text == "-DNAME='"


def test_options_of_tools_that_take_no_part_are_greyed_with_the_reason(model, place):
    model.set_tools(frozenset({Tool.NVRTC}))
    assert place("-verbose", NAME).data(MUTED_ROLE)
    assert not place("-ftz", NAME).data(MUTED_ROLE)
    reason = "No part of this build: nvJitLink."
    assert reason in place("-verbose").data(Qt.ItemDataRole.ToolTipRole)
    assert reason in place("-verbose").data(Qt.ItemDataRole.AccessibleDescriptionRole)


def test_options_of_later_versions_are_greyed_with_the_version(model, place):
    model.set_versions({Tool.NVRTC: "13.3"})
    spec = find("--fmax-errors")[0]
    assert model.why_not(spec) == "NVRTC 13.3 does not have it yet; 13.4 does."
    assert place("--fmax-errors", FLAG).data(MUTED_ROLE)
    model.set_versions({Tool.NVRTC: "13.4"})
    assert model.why_not(spec) == ""


def test_screen_readers_get_name_and_value(model, place):
    model.set_text("-ftz=1")
    role = Qt.ItemDataRole.AccessibleTextRole
    assert place("-ftz").data(role) == f"{find('-ftz')[0].name}: on"
    assert place("-lineinfo").data(role) == "Line information: off"


def found(shown):
    names = []
    for row in range(shown.rowCount()):
        group = shown.index(row, 0)
        names += [text(shown.index(child, 0, group)) for child in range(shown.rowCount(group))]
    return names


def test_a_search_leaves_what_has_all_its_words(model):
    shown = OptionsFilter(model)
    shown.set_search("32-bit IEEE")
    assert found(shown) == ["Precise division", "Precise square root"]
    shown.set_search("--gpu-arch")
    assert found(shown) == ["Target architecture"]
    shown.set_search("frobnicate")
    assert shown.rowCount(QModelIndex()) == 0


def test_changed_only_leaves_what_differs(model):
    shown = OptionsFilter(model)
    model.set_text("-lineinfo -ftz=1")
    shown.set_changed_only(True)
    assert found(shown) == [find("-ftz")[0].name, "Line information"]
    model.set_text("-lineinfo")
    assert found(shown) == ["Line information"]
