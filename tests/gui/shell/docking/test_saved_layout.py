import pytest
from PySide6.QtCore import QByteArray

from jitstudio.gui.shell.docking.layout_manager import VERSION, seal, unseal

STATE = QByteArray(b"\x00\x01any state\xff")


def test_what_was_kept_comes_back():
    assert unseal(seal(STATE)) == STATE
    assert unseal(seal(QByteArray())) == QByteArray()


@pytest.mark.parametrize(
    "kept",
    [
        None,
        QByteArray(),
        QByteArray(b"garbage"),
        STATE,
        seal(STATE).chopped(1),
        seal(STATE).first(20),
        seal(STATE) + b"x",
        seal(STATE).replace(b"layout %d" % VERSION, b"layout 4"),
        seal(STATE).replace(b"layout %d" % VERSION, b"layout 0"),
        seal(STATE).replace(b"any", b"eny"),
    ],
)
def test_what_is_damaged_foreign_or_of_another_version_is_not_taken(kept):
    assert unseal(kept) is None
