import pytest

from jitstudio.system.display import check_window


@pytest.fixture
def no_display(monkeypatch):
    for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)


def test_without_any_display_there_is_a_problem(no_display):
    check = check_window()
    assert check.problem
    assert bool(check.remedy) is bool(check.missing)


def test_a_display_that_nobody_serves_is_a_problem(no_display, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":987")
    check = check_window()
    assert check.missing or check.problem == (
        "There is no display: nothing answers at DISPLAY=:987."
    )


def test_qt_without_windows_needs_no_display(no_display, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    check = check_window()
    assert bool(check.problem) is bool(check.missing)


def test_the_remedy_installs_what_is_missing():
    check = check_window()
    assert check.remedy == "" or check.remedy.startswith("apt-get install -y lib")
