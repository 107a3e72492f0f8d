from PySide6.QtCore import Qt

from jitstudio.gui.shell.palette.model import (
    DETAIL_ROLE,
    DETAIL_SPANS_ROLE,
    ENTRY_ROLE,
    TITLE_SPANS_ROLE,
    PaletteEntry,
    PaletteModel,
)

ENTRIES = (
    PaletteEntry("Dark", 1, "View / Theme"),
    PaletteEntry("Build", 2, "Build", keys="Ctrl+B", tip="Build now"),
    PaletteEntry("Reset layout", 3, "View", enabled=False, tip="There is nothing to reset"),
)


def shown(model):
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def make(qtmodeltester):
    model = PaletteModel()
    qtmodeltester.check(model)
    model.set_entries(ENTRIES)
    return model


def test_all_entries_are_there_in_their_order_at_first(qtmodeltester):
    assert shown(make(qtmodeltester)) == ["Dark", "Build", "Reset layout"]


def test_titles_are_found_before_places(qtmodeltester):
    model = make(qtmodeltester)
    model.set_query("t")
    assert shown(model) == ["Reset layout", "Dark"]
    model.set_query("theme dark")
    assert shown(model) == ["Dark"]
    model.set_query("")
    assert len(shown(model)) == len(ENTRIES)


def test_the_matched_letters_are_told_of_title_and_place(qtmodeltester):
    model = make(qtmodeltester)
    model.set_query("layout")
    assert model.index(0, 0).data(TITLE_SPANS_ROLE) == ((6, 12),)
    assert model.index(0, 0).data(DETAIL_SPANS_ROLE) == ()
    model.set_query("theme dark")
    assert model.index(0, 0).data(TITLE_SPANS_ROLE) == ((0, 4),)
    assert model.index(0, 0).data(DETAIL_SPANS_ROLE) == ((7, 12),)


def test_a_screen_reader_hears_the_place_and_the_keys(qtmodeltester):
    model = make(qtmodeltester)
    index = model.index(1, 0)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "Build, Build, Ctrl+B"
    assert index.data(Qt.ItemDataRole.AccessibleDescriptionRole) == "Build now"
    assert index.data(ENTRY_ROLE).payload == 2


def test_a_word_of_the_place_counts_more_than_scattered_letters(qtmodeltester):
    model = PaletteModel()
    model.set_entries(
        [PaletteEntry("opaque pointers", 1, "Samples"), PaletteEntry("Log", 2, "View / Panes")]
    )
    model.set_query("pane")
    assert shown(model) == ["Log", "opaque pointers"]


def test_other_names_count_less_than_titles_and_are_told():
    model = PaletteModel()
    also = "demangle, readable names"
    model.set_entries(
        (
            PaletteEntry("Names in words", 1, "View", also=also),
            PaletteEntry("Read the file", 2, "File"),
            PaletteEntry("Rare deadline", 3, "Edit"),
            PaletteEntry("Read", 4, "Pane", is_place=True),
        )
    )
    model.set_query("read")
    # Titles that begin so, the place first; another name; letters within words.
    assert shown(model) == ["Read", "Read the file", "Names in words", "Rare deadline"]
    named = model.index(2, 0)
    text, ((begin, end),) = named.data(DETAIL_ROLE), named.data(DETAIL_SPANS_ROLE)
    assert (text, text[begin:end]) == ("View · readable names", "read")
    assert named.data(TITLE_SPANS_ROLE) == ()
    # Another name is no place to seek scattered letters in.
    model.set_query("dngle")
    assert shown(model) == []


def test_the_last_entry_is_made_of_the_query_whatever_else_matches():
    model = PaletteModel(last=lambda text: PaletteEntry(f"Search: {text}", text, "Help"))
    model.set_entries(ENTRIES)
    assert shown(model) == ["Dark", "Build", "Reset layout"]
    model.set_query("dark ")
    assert shown(model) == ["Dark", "Search: dark"]
    model.set_query("why slow")
    assert shown(model) == ["Search: why slow"]
    index = model.index(0, 0)
    assert (index.data(ENTRY_ROLE).payload, index.data(DETAIL_ROLE)) == ("why slow", "Help")
    assert index.data(TITLE_SPANS_ROLE) == index.data(DETAIL_SPANS_ROLE) == ()
