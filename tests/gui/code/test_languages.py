import pytest

from jitstudio.core.code import TEXT_KINDS, CodeKind
from jitstudio.gui.code.languages import LANGUAGES, icon_name
from jitstudio.gui.kit.icons import icon


def test_every_kind_of_text_has_a_language():
    assert set(LANGUAGES) == TEXT_KINDS


@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("kind", list(CodeKind))
def test_every_document_has_an_icon(light, kind, header):
    assert not icon(icon_name(kind, header), light.ui.text).isNull()


@pytest.mark.parametrize(
    ("kind", "header", "name"),
    [
        (CodeKind.CUDA, False, "cuda"),
        (CodeKind.CUDA, True, "header"),
        (CodeKind.LIBRARY, False, "binary"),
    ],
)
def test_headers_and_machine_code_can_be_told_apart(kind, header, name):
    assert icon_name(kind, header) == name
