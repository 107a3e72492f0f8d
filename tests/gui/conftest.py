"""What all tests of the window share: themes, the code font, settings of its own."""

import gc
import resource
from contextlib import contextmanager
from functools import partialmethod

import pytest
from PySide6.QtCore import QSettings, QStandardPaths, QTranslator
from pytestqt.qtbot import QtBot
from shiboken6 import delete, ownedByPython

from jitstudio.gui.kit.fonts import load_fonts
from jitstudio.gui.kit.theme import Theme, current_theme, set_current_theme
from jitstudio.gui.state import build_settings, file_reader
from jitstudio.gui.window.application import GarbageCollector
from jitstudio.toolchain.driver import describe
from tests.gui.driver import PATIENCE, Driver
from tests.gui.threads import watched_imports
from tests.support import QUICK_ARCH

# Those of Python; once all tests are collected there are others.
_THRESHOLDS = gc.get_threshold()
_PATIENCE_MS = int(1000 * PATIENCE)
# A target that is quick to disassemble; where there is a GPU, the one that the window takes for it.
_ARCH = QUICK_ARCH if describe().problem else build_settings.DEFAULT_ARCH


class _PatientBot(QtBot):
    """Waits as long as a loaded machine may take; by itself it gives up after five seconds."""

    waitUntil = partialmethod(QtBot.waitUntil, timeout=_PATIENCE_MS)
    waitSignal = partialmethod(QtBot.waitSignal, timeout=_PATIENCE_MS)
    waitSignals = partialmethod(QtBot.waitSignals, timeout=_PATIENCE_MS)


@pytest.fixture
def qtbot(qapp, request):
    return _PatientBot(request)


@pytest.fixture(scope="session", autouse=True)
def _nothing_of_the_user(tmp_path_factory):
    QStandardPaths.setTestModeEnabled(True)
    # Qt's test mode does not reach QSettings.
    folder = str(tmp_path_factory.mktemp("settings"))
    for file_format in (QSettings.Format.NativeFormat, QSettings.Format.IniFormat):
        QSettings.setPath(file_format, QSettings.Scope.UserScope, folder)


@pytest.fixture(scope="session", autouse=True)
def _code_font(qapp):
    load_fonts(qapp)


@pytest.fixture(scope="session", autouse=True)
def _garbage_collector(qapp):
    """As in the program: Qt objects are destroyed in their own thread, as often as Python likes."""
    gc.set_threshold(*_THRESHOLDS)
    return GarbageCollector(qapp)


@pytest.fixture(scope="module", autouse=True)
def _no_garbage(_garbage_collector):
    """A module leaves nothing behind; without events the collector does nothing by itself."""
    yield
    gc.collect()
    # What is left is shared by the tests to come; the next module need not look through it again.
    gc.freeze()


@pytest.fixture(autouse=True)
def thread_imports():
    """Modules with Qt classes that a thread has imported: there must be none."""
    with watched_imports() as found:
        yield found
    assert found == []


@pytest.fixture(autouse=True)
def _no_windows(qapp):
    """A test destroys its windows before Python takes apart what belongs to them.

    The other way round Qt still tells objects of what happens, whose attributes are gone.
    """
    before = qapp.topLevelWidgets()
    yield
    # Looked for anew each time: what belongs to a window is gone with it.
    while own := [w for w in qapp.topLevelWidgets() if ownedByPython(w) and w not in before]:
        delete(own[0])


@pytest.fixture(autouse=True)
def cache_folder(shared_folder, monkeypatch):
    """All windows keep results in one place: most build the same sample."""
    monkeypatch.setenv("JITSTUDIO_CACHE_DIR", str(shared_folder))
    return shared_folder


@pytest.fixture(autouse=True)
def _no_trust_from_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("JITSTUDIO_CONFIG_DIR", str(tmp_path / "settings-of-the-user"))
    monkeypatch.setenv("JITSTUDIO_RUNTIME_DIR", str(tmp_path / "sockets"))


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Files are there at once, however busy the machine is; returns how long that was before."""
    before = file_reader.MOMENT
    monkeypatch.setattr(file_reader, "MOMENT", PATIENCE)
    return before


@pytest.fixture(scope="session")
def light():
    return Theme.load("light")


@pytest.fixture(scope="session")
def dark_theme():
    return Theme.load("dark")


@pytest.fixture
def dark(dark_theme):
    """The dark theme, which all widgets follow from now on."""
    set_current_theme(dark_theme)
    return dark_theme


@pytest.fixture(params=["light", "dark"])
def theme(request):
    """Each theme in turn, which all widgets follow from now on."""
    return request.getfixturevalue(request.param)


@pytest.fixture(autouse=True)
def light_again(light):
    """Tests begin with the light theme.

    After another one `light`, which is not the very theme of windows, has them put theirs on
    anew, with palettes; where it was there all the time they need not look at each widget.
    """
    yield
    if current_theme().name != light.name:
        set_current_theme(light)


@pytest.fixture
def driver(qapp, tmp_path, monkeypatch):
    """A window with a worker of its own, not shown yet."""
    monkeypatch.setattr(build_settings, "DEFAULT_ARCH", _ARCH)
    driver = Driver(qapp, tmp_path)
    yield driver
    driver.end()


@pytest.fixture(scope="module")
def shared_driver(qapp, tmp_path_factory, shared_folder):
    """A window for all tests of a module that leave it as they have found it; not shown yet."""
    folder = tmp_path_factory.mktemp("window")
    with pytest.MonkeyPatch.context() as around:
        around.setenv("JITSTUDIO_CACHE_DIR", str(shared_folder))
        around.setenv("JITSTUDIO_CONFIG_DIR", str(folder / "settings-of-the-user"))
        around.setenv("JITSTUDIO_RUNTIME_DIR", str(folder / "sockets"))
        around.setattr(file_reader, "MOMENT", PATIENCE)
        around.setattr(build_settings, "DEFAULT_ARCH", _ARCH)
        driver = Driver(qapp, folder)
        yield driver
        driver.end()


@pytest.fixture
def start(request, shared_driver):
    """Brings a window to its start with some files, or to its first start, and returns it.

    The tests of a module share it. One that changes more than a project holds, or looks at that,
    has a window of its own: `usefixtures("driver")`.
    """
    is_own = "driver" in request.fixturenames
    driver = request.getfixturevalue("driver") if is_own else shared_driver

    def start(*files):
        driver.start(files)
        return driver

    return start


@pytest.fixture
def started(start):
    """The window at its first start, with its sample built."""
    return start()


class _Bracketing(QTranslator):
    def isEmpty(self):
        return False

    def translate(self, _context, source, _disambiguation=None, _count=-1):
        return f"[{source}]"


@pytest.fixture
def bracketing(qapp):
    """Each text that can be translated stands between brackets."""
    translator = _Bracketing()
    qapp.installTranslator(translator)
    yield
    qapp.removeTranslator(translator)


@pytest.fixture
def full_disk():
    """Within its block no file can grow, as on a disk with no space left."""

    @contextmanager
    def full():
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    return full
