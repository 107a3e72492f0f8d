from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from jitstudio.gui.features.welcome.view import WelcomeCard, WelcomePage
from jitstudio.help.samples import samples
from tests.gui.driver import Driver, pause


def cards(page, name="sampleCard"):
    return [card for card in page.findChildren(WelcomeCard, name) if not card.isHidden()]


def test_the_first_start_shows_the_sample_with_the_welcome_page_left_of_it(started, tmp_path):
    tabs = started.editors
    page = started.find(WelcomePage, "welcomePage")
    assert [tabs.tabText(n) for n in range(tabs.count())] == ["Welcome", "vector_add.cu"]
    assert tabs.page.document is started.document
    assert started.results[-1].ok
    # Nobody has looked at it: it has cost nothing, and no GPU was looked for.
    assert not page.is_filled
    assert started.state.launch_service.worker_pid is None

    started.trigger("welcomeAction")
    started.wait(lambda: page.is_filled)
    assert [card.text() for card in cards(page)] == [sample.title for sample in samples()]
    started.wait(lambda: all(f.state or f.problem for f in page.findings))
    told = {finding.name: finding for finding in page.findings}
    assert "nvrtc" in told["NVRTC"].state
    assert set(told) >= {"NVRTC", "libNVVM", "nvJitLink", "nvdisasm", "targets", "driver", "window"}
    assert started.state.documents.current is None
    assert started.window.windowTitle() == "jitstudio"

    # By keyboard alone: to the second card, and open it.
    first, second = cards(page)[:2]
    first.setFocus()
    QTest.keyClick(first, Qt.Key.Key_Down)
    assert QApplication.focusWidget() is second
    started.next_result(lambda: QTest.keyClick(second, Qt.Key.Key_Return))
    assert started.document.name == "saxpy.cu"
    assert QApplication.focusWidget() is started.editor

    # A file that was opened is among the recent ones the next time.
    file = tmp_path / "mine.cu"
    file.write_text("__global__ void mine() {}\n")
    started.next_result(lambda: started.files.open_paths([file]))
    started.trigger("welcomeAction")
    assert [card.text() for card in cards(page, "recentCard")] == ["mine.cu"]

    # It goes with Ctrl+W as any tab, and is there again when the last source is closed.
    started.trigger("closeTabAction")
    assert not tabs.is_at_home
    for _ in list(started.state.documents):
        started.trigger("closeTabAction")
    assert tabs.is_at_home
    pause(100)
    assert page.isVisible()
    for width in (480, 1000):
        page.resize(width, 600)
        pause(50)
        assert page.horizontalScrollBar().maximum() == 0


def test_who_does_not_want_it_at_the_start_does_not_get_it(qapp, tmp_path):
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    store.setValue("settings/startup.welcome", False)
    store.sync()
    driver = Driver(qapp, tmp_path)
    driver.start()
    tabs = driver.editors
    assert [tabs.tabText(n) for n in range(tabs.count())] == ["vector_add.cu"]
    driver.close()
