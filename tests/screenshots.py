"""Makes the pictures in `screenshots/`: run `python3 tests/screenshots.py` and look at them."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
_ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_ROOT)]

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from PySide6.QtCore import Qt  # noqa: E402
from PySide6.QtGui import QImage  # noqa: E402
from PySide6.QtWidgets import (  # noqa: E402
    QApplication,
    QComboBox,
    QDockWidget,
    QPlainTextEdit,
    QPushButton,
    QTabWidget,
    QToolButton,
    QWidget,
)

from jitstudio.core.request import LinkMode  # noqa: E402
from jitstudio.gui.features.settings.dialog import SettingsDialog  # noqa: E402
from jitstudio.gui.features.variants.dialog import VariantsDialog  # noqa: E402
from jitstudio.gui.kit.theme import ThemeMode  # noqa: E402
from jitstudio.gui.window.application import make_application  # noqa: E402
from tests.gui.driver import Driver, pause  # noqa: E402

_PROGRAM = _ROOT / "tests" / "data" / "programs" / "vector_add.cu"
_TILE_PROGRAM = _ROOT / "tests" / "data" / "tile" / "two_kinds.cu"
# Seconds for a film, or a build without the cache.
_PATIENCE = 60
# Plots and graphs are made in the background, by modules that are loaded there.
_DRAWN_MS = 3000


def take(app: QApplication, mode: ThemeMode, target: Path) -> list[Path]:
    """All pictures in one theme."""
    made: list[Path] = []

    def grab(name: str, widget: QWidget | None = None) -> None:
        made.append(target / f"{name}-{mode.value}.png")
        driver.grab(made[-1], widget)

    with tempfile.TemporaryDirectory() as folder:
        # The times of real work, not "from the cache", and lessons as nobody has left them.
        for name in ("CACHE", "CONFIG", "DATA"):
            os.environ[f"XDG_{name}_HOME"] = folder
        driver = Driver(app, Path(folder), mode)
        driver.start()
        _tie(driver)
        grab("first-start")
        driver.trigger("welcomeAction")
        grab("welcome")
        driver.trigger("focusEditorAction")
        driver.trigger("nextTabAction")
        driver.trigger("readLayoutAction")
        grab("read")
        driver.trigger("teachLayoutAction")
        grab("pipeline")
        driver.trigger("editLayoutAction")
        driver.next_result(lambda: driver.replace("sum[i] = a[i]", "total[i] = a[i]"))
        driver.editor.setFocus()
        grab("error")
        driver.next_result(driver.editor.undo)
        driver.next_result(lambda: driver.files.open_paths([_PROGRAM]))
        driver.editor.go_to(20)
        pause(_DRAWN_MS)
        grab("program")
        driver.editors.close_current()
        driver.trigger("paletteAction")
        grab("palette")
        driver.press(Qt.Key.Key_Escape)
        driver.trigger("settingsAction")
        settings = driver.find(SettingsDialog, "settingsDialog")
        grab("settings", settings)
        settings.close()
        driver.trigger("optionsAction")
        driver.next_result(lambda: driver.set_options("-lineinfo --use_fast_math"))
        pause(_DRAWN_MS)
        _tie(driver)
        grab("options")
        driver.find(QDockWidget, "buildDock").close()
        driver.set_options("")
        driver.open_sample("SAXPY")
        driver.show_output("Lowered names")
        _tie(driver)
        grab("names")
        driver.open_sample("Link by PTX or LTO")
        driver.trigger("teachLayoutAction")
        # Its docks come a turn after its letters.
        pause(0)
        driver.show_output("Link")
        grab("link")
        driver.find(QDockWidget, "buildDock").close()
        driver.trigger("editLayoutAction")
        _readings(driver, grab)
        driver.open_sample("Vector add")
        driver.launch_form()
        driver.wait(lambda: driver.state.launches.devices is not None)
        grab("launch-form" if driver.state.launches.has_devices else "launch-without-gpu")
        if driver.state.launches.has_devices:
            _launches(driver, grab)
            _sweep(driver, grab)
        else:
            _simulations(driver, grab)
            _stages(driver, grab)
        _captured(driver, grab)
        driver.close()
    return made


def _tie(driver: Driver) -> None:
    """Wait until it is known which lines match."""
    disassembly, correlations = driver.state.disassembly, driver.state.correlations
    driver.wait(lambda: disassembly.current is not None)
    driver.wait(lambda: correlations.tied and correlations.tied.inspection is disassembly.current)


def _readings(driver: Driver, grab: Callable[..., None]) -> None:
    """What LTO inlined, in all the ways to see it; the two-module sample is open."""
    settings, disassembly = driver.state.settings, driver.state.disassembly
    if settings.link is not LinkMode.PTX:
        driver.next_result(lambda: setattr(settings, "link", LinkMode.PTX))
    driver.trigger("focusSassAction")
    driver.wait(lambda: disassembly.current is not None)
    driver.trigger("pinBaselineAction")
    driver.next_result(lambda: setattr(settings, "link", LinkMode.LTO))
    driver.state.documents.current = driver.state.documents.named("user_transform.cu")
    driver.trigger("readLayoutAction")
    driver.trigger("focusSassAction")
    _tie(driver)
    driver.trigger("focusEditorAction")
    driver.editor.go_to(5)
    driver.trigger("correlateAction")
    driver.trigger("correlateAction")
    pause(_DRAWN_MS)
    grab("reading")
    driver.trigger("compareLayoutAction")
    pause(_DRAWN_MS)
    grab("difference")
    driver.trigger("editLayoutAction")
    driver.open_sample("Histogram")
    driver.trigger("focusSassAction")
    driver.wait(lambda: disassembly.current is not None)
    for action, name in (("focusReportAction", "report"), ("focusGraphAction", "graph")):
        driver.trigger(action)
        pause(_DRAWN_MS)
        grab(name)


def _simulations(driver: Driver, grab: Callable[[str], None]) -> None:
    """The lesson about banks, its counts and a step of it; with a GPU the launch would be there."""
    driver.trigger("lessonsAction")
    choice = driver.find(QComboBox, "lessonChoice")
    driver.wait(choice.count)
    choice.setCurrentIndex(7)
    driver.next_result(driver.find(QPushButton, "openLesson").click)
    driver.find(QPushButton, "checkLesson").click()
    goals = driver.find(QPlainTextEdit, "lessonGoals")
    driver.wait(lambda: "\N{BALLOT X}" in goals.toPlainText())
    driver.show_output("PTX")
    _tie(driver)
    pause(_DRAWN_MS)
    grab("lesson")
    driver.trigger("editLayoutAction")
    # Its docks come a turn after its letters.
    pause(0)
    driver.find(QDockWidget, "lessonsDock").close()
    driver.trigger("editLayoutAction")
    driver.launch_form()
    driver.launch()
    driver.pane("launch").results.tabs.setCurrentIndex(3)
    grab("counts")
    driver.trigger("stepAction")
    stepping = driver.state.stepping
    driver.wait(lambda: stepping.state is not None and not stepping.is_moving)
    driver.editor.go_to(13)
    driver.trigger("runToCursorAction")
    driver.wait(lambda: stepping.state.step > 0 and not stepping.is_moving)
    for _ in range(4):
        driver.trigger("stepInstructionAction")
        driver.wait(lambda: not stepping.is_moving)
    tabs = driver.find(QTabWidget, "stepTabs")
    tabs.setCurrentIndex([tabs.tabText(at) for at in range(tabs.count())].index("Access"))
    pause(_DRAWN_MS)
    grab("step")
    driver.trigger("endSteppingAction")


def _captured(driver: Driver, grab: Callable[[str], None]) -> None:
    """Two representations of a kernel of Triton, at the line of a load."""
    driver.open_sample("Triton")
    driver.show_output("SASS")
    _tie(driver)
    driver.trigger("besideAction")
    page = driver.editors.page
    assert page is not None
    # Dialogs have had the keyboard.
    driver.window.activateWindow()
    page.go_to(15, 1)
    pause(_DRAWN_MS)
    grab("captured")


def _stages(driver: Driver, grab: Callable[[str], None]) -> None:
    """The passes and the compile time of a program, and the Tile IR of another."""
    driver.next_result(lambda: driver.files.open_paths([_PROGRAM]))
    layout = driver.shell.layout
    layout.bring_up_pane("passes")
    passes = driver.pane("passes")
    passes.film.click()
    driver.wait(lambda: passes.readings, _PATIENCE)
    passes.slider.setValue(passes.slider.maximum() // 2)
    pause(_DRAWN_MS)
    grab("passes")
    layout.bring_up_pane("times")
    times = driver.pane("times")
    times.measure.click()
    driver.wait(lambda: times.modules_shown, _PATIENCE)
    pause(_DRAWN_MS)
    grab("times")
    driver.set_options("--enable-tile --std=c++20")
    driver.next_result(lambda: driver.files.open_paths([_TILE_PROGRAM]))
    driver.show_output("Tile IR")
    _tie(driver)
    grab("tile")
    driver.set_options("")


def _launches(driver: Driver, grab: Callable[[str], None]) -> None:
    """Pictures that only a machine with a GPU can make."""
    results = driver.pane("launch").results
    driver.open_sample("Link by PTX or LTO")
    driver.wait(lambda: driver.launch_form().spec().kernel == "apply_transform")
    driver.launch()
    grab("launch")
    for tab, name in enumerate(("result", "buffers", "timing", "console")):
        results.tabs.setCurrentIndex(tab)
        if name in ("buffers", "timing"):
            pause(_DRAWN_MS)
            grab(f"launch-{name}")
    results.tabs.setCurrentIndex(0)
    driver.next_result(lambda: driver.replace("if (i < n) {", "assert(i < 1000); {"))
    driver.launch()
    grab("launch-assert")


def _sweep(driver: Driver, grab: Callable[[str, QWidget], None]) -> None:
    """A sweep over block sizes and data types, done; without a GPU it would tell no times."""
    driver.open_sample("SAXPY")
    driver.wait(lambda: driver.launch_form().spec().kernel.startswith("saxpy"))
    driver.trigger("sweepAction")
    dialog = driver.find(VariantsDialog, "variantsDialog")
    run = dialog.findChild(QToolButton, "variantsRun")
    assert run is not None
    run.click()
    driver.wait(lambda: not dialog.is_running)
    pause(_DRAWN_MS)
    grab("sweep", dialog)


def _with_palette(image: QImage) -> QImage:
    """Returns a picture of 256 colours: the most frequent ones, moved to where others are near."""
    pixels = image.convertToFormat(QImage.Format.Format_RGB32)
    width, height = pixels.width(), pixels.height()
    words = np.frombuffer(pixels.constBits(), np.uint32).reshape(height, -1)[:, :width]
    found, which, counts = np.unique(words, return_inverse=True, return_counts=True)
    colours = found.view(np.uint8).reshape(-1, 4)[:, :3].astype(np.float32)

    def nearest() -> NDArray[np.intp]:
        return np.argmin(((colours[:, None] - palette) ** 2).sum(2), 1)

    palette = colours[np.argsort(-counts)[:256]]
    for _ in range(8):
        near = nearest()
        weights = np.maximum(np.bincount(near, counts, len(palette)), 1)
        sums = [np.bincount(near, counts * channel, len(palette)) for channel in colours.T]
        palette = np.stack(sums, 1) / weights[:, None]
    # Lines of a picture begin at multiples of 4 bytes.
    rows = np.zeros((height, -(-width // 4) * 4), np.uint8)
    rows[:, :width] = nearest()[which].reshape(height, width)
    made = QImage(rows.data, width, height, rows.shape[1], QImage.Format.Format_Indexed8)
    blue, green, red = np.rint(palette).astype(np.uint32).T
    made.setColorTable((0xFF << 24 | red << 16 | green << 8 | blue).tolist())
    return made.copy()


def main() -> None:
    """Take all pictures in all themes."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else _ROOT / "screenshots"
    target.mkdir(exist_ok=True)
    app = make_application()
    for mode in (ThemeMode.LIGHT, ThemeMode.DARK, ThemeMode.HIGH_CONTRAST):
        for path in take(app, mode, target):
            print(path)
    for path in target.glob("*.png"):
        image = QImage(str(path))
        if image.format() is not QImage.Format.Format_Indexed8:
            # No difference can be seen, in a third of the bytes.
            _with_palette(image).save(str(path), quality=0)


if __name__ == "__main__":
    main()
