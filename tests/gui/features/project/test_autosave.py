import pytest
from PySide6.QtWidgets import QPushButton, QStatusBar

from tests.gui.driver import Driver, pause


def notice(driver):
    return driver.shell.notices.text


def said(driver):
    return driver.find(QStatusBar, "statusBar").currentMessage()


def press(driver, name):
    button = next(b for b in driver.window.findChildren(QPushButton, name) if b.isVisible())
    button.click()


@pytest.fixture
def opened(driver, tmp_path):
    """The window with one file of its own."""
    path = tmp_path / "k.cu"
    path.write_bytes(b"".join(b"// line %d\n" % number for number in range(300)))
    driver.start([path])
    driver.trigger("autoBuildAction")
    return driver


def test_a_file_that_changes_is_reloaded_where_the_user_was(opened):
    opened.editor.go_to(200, 4)
    top = opened.editor.firstVisibleBlock().text()
    assert top != "// line 0"
    path = opened.document.path
    path.write_bytes(b"// new\n" * 10 + path.read_bytes())
    opened.wait(lambda: not opened.document.content.startswith(b"// line"))
    pause(0)
    assert opened.editor.position() == (210, 4)
    assert opened.editor.firstVisibleBlock().text() == top
    assert said(opened) == "'k.cu' has changed on disk and was reloaded"
    assert notice(opened) == ""


def test_unsaved_text_is_asked_about_in_the_notice(opened):
    path = opened.document.path
    opened.type("mine")
    path.write_bytes(b"theirs\n")
    opened.wait(lambda: notice(opened))
    assert notice(opened) == "Changed on disk, and here there is unsaved text: 'k.cu'."
    press(opened, "keepMine")
    assert notice(opened) == ""
    assert opened.document.content.startswith(b"mine")
    path.write_bytes(b"theirs again\n")
    opened.wait(lambda: notice(opened))
    press(opened, "reloadFiles")
    opened.wait(lambda: not notice(opened))
    assert opened.document.content == b"theirs again\n"
    path.unlink()
    opened.wait(lambda: notice(opened))
    assert notice(opened).startswith(f"'{path}' is no longer there. Its tab is kept as unsaved")
    assert opened.document.is_modified


def test_a_session_that_cannot_be_written_is_told_until_it_can_be(opened, full_disk):
    opened.type("mine")
    with full_disk():
        opened.state.session.save()
        opened.wait(lambda: notice(opened))
        assert notice(opened).startswith("Unsaved text ")
    opened.wait(lambda: not notice(opened))
    assert said(opened) == "Unsaved text is kept again"


def test_a_build_keeps_the_text_first(opened):
    session = opened.state.session
    opened.type("// typed just now ")
    opened.next_result(lambda: opened.trigger("buildAction"))
    session.flush()
    (file,) = (opened.document.path.parent / "sessions").glob("session-*.json")
    assert b"typed just now" in file.read_bytes()


def test_the_cursor_is_back_at_the_next_start(opened, qapp, tmp_path):
    opened.editor.go_to(250, 3)
    opened.window.close()
    second = Driver(qapp, tmp_path)
    try:
        second.start()
        assert second.editor.position() == (250, 3)
        assert second.editor.firstVisibleBlock().blockNumber() > 150
        assert notice(second) == ""
    finally:
        second.close()
