import pytest
from PySide6.QtGui import QFontDatabase, QFontInfo, QFontMetricsF

from jitstudio.gui import fonts
from jitstudio.gui.fonts import CODE_FAMILY, DEFAULT_SIZE, FontError, code_font, load_fonts


def test_the_bundled_font_is_used_for_code(qapp):
    assert CODE_FAMILY in QFontDatabase.families()
    assert QFontInfo(code_font()).family() == CODE_FAMILY
    assert QFontInfo(code_font()).fixedPitch()
    assert code_font().pointSizeF() == DEFAULT_SIZE


def test_all_letters_are_equally_wide_in_bold_too(qapp):
    regular, bold = code_font(13), code_font(13)
    bold.setBold(True)
    widths = {QFontMetricsF(font).horizontalAdvance(c) for font in (regular, bold) for c in "i0W_"}
    assert len(widths) == 1


def test_code_has_no_ligatures(qapp):
    metrics = QFontMetricsF(code_font(20))
    assert metrics.horizontalAdvance("->") == pytest.approx(2 * metrics.horizontalAdvance("-"))
    assert all(code_font().featureValue(tag) == 0 for tag in code_font().featureTags())
    assert len(code_font().featureTags()) == 2


def test_loading_again_adds_nothing(qapp):
    before = QFontDatabase.families()
    load_fonts(qapp)
    assert QFontDatabase.families() == before


def test_a_file_that_is_no_font_is_named(qapp, tmp_path, monkeypatch):
    broken = tmp_path / "broken.woff2"
    broken.write_bytes(b"not a font")
    monkeypatch.setattr(fonts, "CODE_FAMILY", "Nothing of that name")
    monkeypatch.setattr(fonts, "resource", lambda _name: broken)
    with pytest.raises(FontError, match=r"broken\.woff2"):
        load_fonts(qapp)
