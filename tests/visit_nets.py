"""Visits every pane again: the part of `tests/nets.py` for what only a first show does right.

A pane is shown three times: at first, after its tab was left and come back to, and after a restart
that brings it back; at two zooms of the window, begun with or changed to while it is open. Each
time it has to show the same: texts, letters as large, rows and widgets of the same size. Names are
those that people write: a lowered one is a fault wherever the pane is not about them.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QAccessible, Qt
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QPlainTextEdit,
    QTableView,
    QTreeView,
    QWidget,
)

from jitstudio.core.code import CodeKind
from jitstudio.gui.features.graph.view import GraphCanvas
from jitstudio.gui.kit.tables import PanelTable
from jitstudio.gui.listing.listing_area import ListingArea
from jitstudio.gui.shell.commands.spec import EDITOR
from jitstudio.gui.shell.docking.layouts import LAYOUTS
from jitstudio.gui.shell.pane_registry import PANES, parts_of
from jitstudio.gui.state import build_settings
from jitstudio.gui.window.application import make_application
from tests.gui.driver import Driver, pause
from tests.library_files import wheel
from tests.support import QUICK_ARCH
from tests.window_nets import contents, texts

ZOOMS = (1.0, 1.75)

# A name with template arguments, a namespace, and a function that is called.
_FIRST = """\
namespace tiles {
template <typename T>
__device__ __noinline__ T scaled(T x, T a) { return x * a; }

template <typename T, int N>
__global__ void axpy(T* y, const T* x, T a, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * N;
    for (int j = 0; j < N; ++j)
        if (i + j < n)
            y[i + j] += scaled(x[i + j], a);
}
template __global__ void axpy<float, 4>(float*, const float*, float, int);
template __global__ void axpy<double, 2>(double*, const double*, double, int);
}
"""
_SECOND = "__global__ void other(float* y, int n) { y[threadIdx.x] = n; }\n"
# What some panes are about, or say beside the other name.
_LOWERED = {"names", "options"}
_MANGLED = re.compile(r"\b_Z\w{3,}|\[abi:\w+\]")
# The memory of a GPU that is free changes with other processes, as times do.
_TIME = re.compile(r" *\b\d+(?:[.,]\d+)* ?(?:ms|s|µs|min|GiB free)\b|\b\d\d:\d\d(?::\d\d)?\b|\d+ %")
# A pane is at rest once it looks the same twice in a row.
_REST_MS, _MOST_LOOKS = 120, 40
# Docks share a window in whole pixels, and a line of words more or less is no other picture.
_ROUNDING = 18
# Of all words that are painted.
_AT_THE_EDGE = 0.4
# How tips begin whose words are shown as they are.
_PLAIN = '<p style="white-space'
# It says which stages had to run.
_OF_BUILDS = "log"


_ALL = (EDITOR, *(pane.name for pane in PANES))


@dataclass
class Look:
    """What one pane shows.

    Attributes:
        texts: What its widgets, tables and texts hold, a line each.
        painted: Each word that is painted, with the size of its letters in pixels.
        sizes: Width and height of its widgets, and the height of rows, by object name.
    """

    texts: list[str] = field(default_factory=list)
    painted: Counter[tuple[float, str]] = field(default_factory=Counter)
    sizes: dict[str, tuple[int, int]] = field(default_factory=dict)

    def differences(self, first: Look, *, is_same_size: bool) -> Iterator[str]:
        """Yields in which ways this is not what was shown at first, a line each.

        Args:
            first: What was.
            is_same_size: Whether the pane has the room that it had, and the same to show in it.
        """
        gone, come = Counter(first.texts), Counter(self.texts)
        gone, come = gone - come, come - gone
        if is_same_size:
            yield from (f"no more: {text}" for text in gone)
            yield from (f"instead: {text}" for text in come)
        if _letters(first) != _letters(self):
            yield f"letters of {_letters(self)} pixels, first {_letters(first)}"
        for name, size in first.sizes.items():
            other = self.sizes.get(name)
            is_row = name.endswith(".row")
            if other is None or not (is_row or is_same_size):
                continue
            if max(abs(a - b) for a, b in zip(size, other, strict=True)) > _ROUNDING * (not is_row):
                yield f"size of {name}: {other}, first {size}"
        is_cut = self.sizes != first.sizes and self._is_cut_otherwise(first)
        if is_same_size and not (gone or come or is_cut) and self.painted != first.painted:
            yield f"paints {_words(self, first)}, first {_words(first, self)}"

    def _is_cut_otherwise(self, first: Look) -> bool:
        """Returns whether the same is painted, or a little more or less of it at an edge.

        A few pixels, which sizes may differ by, let the next line or block into what is seen.
        """
        less, more = first.painted - self.painted, self.painted - first.painted
        most = max(first.painted.total(), self.painted.total())
        return not (less and more) and (less + more).total() <= most * _AT_THE_EDGE


def _letters(look: Look) -> list[float]:
    return sorted({size for size, _ in look.painted})


def _words(look: Look, other: Look) -> str:
    """Returns the words that only one of two paints."""
    words = look.painted - other.painted
    return " ".join(f"{word} ({size:g})" for size, word in words) or "nothing more"


def look_at(pane: QWidget) -> Look:
    """Returns what a pane that is in front shows."""
    look = Look()
    seen = [pane, *(child for child in pane.findChildren(QWidget) if child.isVisibleTo(pane))]
    named = [w for w in seen if w.objectName() and not w.objectName().startswith("qt_")]
    for widget in named:
        look.sizes[widget.objectName()] = widget.size().toTuple()
        if (height := _row_height(widget)) is not None:
            look.sizes[f"{widget.objectName()}.row"] = (height, height)
        look.texts += [f"{widget.objectName()}.{text}" for text in texts(widget)]
    look.texts += contents(pane)
    look.texts = [_TIME.sub(" #", line) for text in look.texts for line in text.splitlines()]
    look.painted.update((size, _TIME.sub("#", word.strip())) for size, word in _painted(pane))
    return look


def _row_height(widget: QWidget) -> int | None:
    match widget:
        case ListingArea():
            return widget.grid.height if widget.line_count else None
        case QPlainTextEdit():
            return widget.fontMetrics().height()
        case QTableView() if _has_rows(widget):
            return widget.rowHeight(0)
        case QTreeView() if _has_rows(widget):
            return widget.visualRect(widget.model().index(0, 0)).height()
    return None


def _has_rows(view: QAbstractItemView) -> bool:
    return view.model() is not None and view.model().rowCount() > 0


def _painted(widget: QWidget) -> Iterator[tuple[float, str]]:
    """Yields each text that a widget paints, with the size of its letters in pixels."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    page = QSvgGenerator()
    page.setResolution(widget.logicalDpiY())
    page.setSize(widget.size())
    page.setOutputDevice(buffer)
    widget.render(page)
    buffer.close()
    # XML has no control characters, and texts of programs may.
    drawn = re.sub(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", b"", buffer.data().data())

    def within(part: ET.Element, scale: float) -> Iterator[tuple[float, str]]:
        if matrix := re.match(r"matrix\(([-\d.e]+)", part.get("transform", "")):
            scale *= float(matrix[1])
        if part.tag.endswith("}text"):
            yield round(scale * float(part.get("font-size", "0")), 1), "".join(part.itertext())
        for child in part:
            yield from within(child, scale)

    yield from within(ET.fromstring(drawn), 1.0)


# ---- The walk


def _pane(driver: Driver, name: str) -> QWidget:
    if name == EDITOR:
        return driver.editors
    # Tabs behind the first are not made by themselves.
    for part in parts_of(name):
        driver.pane(part.name)
    return driver.pane(name)


def _rest(driver: Driver, pane: QWidget) -> Look:
    """Returns what a pane shows once it changes no more."""
    driver.settle()
    driver.wait(lambda: not driver.state.disassembly.is_reading)
    # Some mark what the keyboard is on; where a window begins depends on the pane before.
    pane.setFocus()
    before, at_rest = Look(), 0
    for _ in range(_MOST_LOOKS):
        pause(_REST_MS)
        now = look_at(pane)
        at_rest = at_rest + 1 if now == before else 0
        if at_rest == 2:
            break
        before = now
    return before


def _together() -> list[list[str]]:
    """Returns all panes in parts whose members are beside each other, none behind another."""
    places = [group for area in LAYOUTS[0].areas for group in area.groups]
    return [[*filter(None, names)] for names in zip_longest(*places)]


class Walk:
    """Windows in one folder, one after the other, with two tabs and a library.

    Attributes:
        folder: Where settings and session are.
        faults: What was found, a line each.
    """

    def __init__(self, app: QApplication, folder: Path, sources: Path) -> None:
        self._app = app
        self.folder = folder
        self.faults: list[str] = []
        folder.mkdir()
        sources.mkdir(exist_ok=True)
        self._files = [sources / "first.cu", sources / "second.cu"]
        for path, text in zip(self._files, (_FIRST, _SECOND), strict=True):
            path.write_text(text)
        self._library = sources / "kernels.whl"

    @contextmanager
    def window(self, zoom: float | None = None) -> Iterator[Driver]:
        """Opens a window as the last one was left.

        Args:
            zoom: That it begins with; None for that of the last one.
        """
        driver = Driver(self._app, self.folder)
        layout = driver.window.frame.layout
        if zoom is not None:
            driver.window.user_state.preferences.set_zoom(layout.layout.name, zoom)
            layout.restore()
        try:
            yield driver
        finally:
            driver.close()

    def open_all(self, driver: Driver) -> None:
        """Opens everything in a new window, and every pane."""
        driver.start(self._files)
        # What is built once is read from the cache: the log is the same from then on.
        for name in ("first.cu", "second.cu", "first.cu"):
            self.go_to(driver, name)
        cubin = next(a for a in driver.results[-1].artifacts if a.kind is CodeKind.CUBIN)
        self._library.write_bytes(wheel({"kernels/code.cubin": cubin.content}))
        driver.files.open_paths([self._library])
        for pane in PANES:
            _pane(driver, pane.name)
            driver.shell.layout.bring_up_pane(pane.name)
            pause(0)

    @staticmethod
    def go_to(driver: Driver, name: str) -> None:
        """Looks at another tab."""
        driver.state.documents.current = driver.state.documents.named(name)
        pause(0)
        driver.settle()

    def looks(self, driver: Driver, names: Sequence[str] = _ALL) -> dict[str, Look]:
        """Returns what each pane shows as it is brought up."""
        looks = {}
        for name in names:
            driver.shell.layout.bring_up_pane(name)
            looks[name] = _rest(driver, _pane(driver, name))
        return looks

    def restart(self, when: str, first: dict[str, Look], among: Sequence[str]) -> None:
        """Opens a window again and again, each time with other panes in front, and compares.

        Args:
            when: What this is called.
            first: What was shown at first.
            among: One of these is in front each time.
        """
        parts = [names for names in _together() if not {*among}.isdisjoint(names)]
        for names, others in zip(([], *parts), (*parts, []), strict=True):
            with self.window() as driver:
                driver.start()
                seen = [name for name in names if _pane(driver, name).isVisible()]
                looks = {n: _rest(driver, _pane(driver, n)) for n in seen}
                self.compare(when, looks, first)
                self.faults += [f"{name}, {when}: is gone" for name in {*names} - {*seen}]
                for name in others:
                    driver.shell.layout.bring_up_pane(name)
                    pause(0)

    def zoom(self, driver: Driver, firsts: Mapping[float, dict[str, Look]]) -> None:
        """Zooms in and out; each pane then has to look as in a window that has begun so."""
        layout = driver.shell.layout
        for zoom in (*firsts, *list(firsts)[-2::-1]):
            while layout.zoom != zoom:
                layout.zoom_by(1 if layout.zoom < zoom else -1)
                pause(0)
            looks = self.looks(driver)
            self.compare(f"zoomed to {zoom:.0%}", looks, firsts[zoom], is_same_size=False)

    def check_words(self, driver: Driver) -> None:
        """Adds what a screen reader would read wrongly, and tips that Qt takes for HTML."""
        for widget in driver.window.findChildren(QWidget):
            name = f"{type(widget).__name__} {widget.objectName()}"
            if Qt.mightBeRichText(widget.toolTip()) and not widget.toolTip().startswith(_PLAIN):
                self.faults.append(f"{name}: has a tip that is taken for HTML")
            spoken = QAccessible.queryAccessibleInterface(widget)
            for kind in (QAccessible.Text.Name, QAccessible.Text.Description):
                if spoken is not None and _PLAIN in spoken.text(kind):
                    self.faults.append(f"{name}: markup is read out")
            is_painted = isinstance(widget, ListingArea | GraphCanvas)
            if is_painted and (spoken is None or spoken.textInterface() is None):
                self.faults.append(f"{name}: has no text to be read")
            is_filled = isinstance(widget, PanelTable) and _has_rows(widget)
            if is_filled and widget.accessibleDescription() == widget.hint != "":
                self.faults.append(f"{name}: is told to be empty")

    def check_names(self, when: str, looks: dict[str, Look]) -> None:
        """Adds each pane that shows names as compilers write them."""
        for name, look in looks.items():
            words = "\n".join(word for _, word in look.painted)
            if name not in _LOWERED and (lowered := _MANGLED.findall(words)):
                self.faults.append(f"{name}, {when}: paints {lowered[0]}")

    def compare(
        self,
        when: str,
        looks: dict[str, Look],
        first: dict[str, Look],
        *,
        is_same_size: bool = True,
    ) -> None:
        """Adds what a pane shows in another way than at first."""
        for name, look in looks.items():
            is_same = is_same_size and name != _OF_BUILDS
            for difference in look.differences(first[name], is_same_size=is_same):
                self.faults.append(f"{name}, {when}: {difference}"[:300])


def visit(
    app: QApplication,
    folder: Path,
    zooms: Sequence[float] = ZOOMS,
    restarted: Sequence[str] = _ALL,
) -> list[str]:
    """Shows all panes again and again; returns what was not as at first, a line each.

    Args:
        app: The application.
        folder: Where settings, sessions and sources go.
        zooms: Those to begin with, and to change to and fro.
        restarted: One of these panes is in front at each restart.
    """
    faults: list[str] = []
    firsts: dict[float, dict[str, Look]] = {}
    sources = folder / "sources"
    for zoom in zooms:
        walk = Walk(app, folder / f"{zoom:.0%}", sources)
        with walk.window(zoom) as driver:
            walk.open_all(driver)
            first = firsts[zoom] = walk.looks(driver)
            walk.check_names(f"first show at {zoom:.0%}", first)
            walk.check_words(driver)
            walk.go_to(driver, "second.cu")
            walk.looks(driver)
            walk.go_to(driver, "first.cu")
            walk.compare(f"second visit at {zoom:.0%}", walk.looks(driver), first)
        walk.restart(f"restart at {zoom:.0%}", first, restarted)
        faults += walk.faults
    walk = Walk(app, folder / "changed", sources)
    with walk.window() as driver:
        walk.open_all(driver)
        walk.zoom(driver, firsts)
    return faults + walk.faults


def record(folder: Path) -> Iterator[tuple[str, str]]:
    """Walk through all panes in this folder; yields the name of the walk and its faults."""
    build_settings.DEFAULT_ARCH = QUICK_ARCH
    yield "visits", "\n".join(visit(make_application(), folder))
