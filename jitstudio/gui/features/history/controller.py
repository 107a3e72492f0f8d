"""Goes back and forward over the places that were jumped between, in editors and listings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QApplication, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.gui.context import Context
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Document, Documents


@dataclass(frozen=True)
class _Listing:
    """A listing, as the history stores places.

    Attributes:
        kind: PTX or SASS.
        name: The module that it is of, or the link.
        module: The document that it was built of; None for a link.
    """

    kind: CodeKind
    name: str
    module: Document | None


def install(context: Context) -> None:
    """Lets the user step back to earlier places."""
    state, shell = context.state, context.shell
    HistoryController(
        state.documents,
        state.settings,
        state.build_controller,
        context.editors,
        context.listings,
        shell,
    )


class HistoryController(QObject):
    """Notes the places that the user leaves by a jump, and goes back there.

    A jump can take several steps, such as a tab and then a line, so the places are compared only
    when all is done. Typing and moving about in one text is no jump.
    """

    def __init__(
        self,
        documents: Documents,
        settings: BuildSettings,
        build_controller: BuildController,
        editors: EditorTabs,
        listings: Mapping[CodeKind, OutputPane],
        shell: Shell,
    ) -> None:
        super().__init__(editors)
        actions = shell.actions
        self._settings = settings
        self._build_controller = build_controller
        self._shell = shell
        self._editors = editors
        self._listings = listings
        self._documents = documents
        self._history = History()
        self._back, self._forward = actions["backAction"], actions["forwardAction"]
        self._here: Spot | None = None
        self._pane: CodeKind | None = None
        self._has_jumped = False
        self._settled = QTimer(self, singleShot=True, interval=0)
        self._settled.timeout.connect(self._on_settled)
        editors.cursor_moved.connect(self._on_moved)
        editors.jumped.connect(self._on_jumped)
        for pane in listings.values():
            pane.code_view.line_changed.connect(self._on_moved)
            pane.code_view.jumped.connect(self._on_jumped)
        self._documents.removed.connect(self._on_document_removed)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus_changed)
        actions.bind({"backAction": self._on_back, "forwardAction": self._on_forward})
        self._show_ways()

    def _spot(self) -> Spot | None:
        """Returns the user's present place."""
        if self._pane is not None:
            pane = self._listings[self._pane]
            if pane.listing is not None:
                is_alone = self._settings.link is LinkMode.NONE
                module = self._build_controller.module if is_alone else None
                text = _Listing(self._pane, pane.listing.name, module)
                return Spot(text, pane.code_view.line)
        page = self._editors.page
        return Spot(page.document, *page.position()) if page is not None else None

    def _go(self, spot: Spot) -> None:
        self._here, self._has_jumped = None, False
        match spot.text:
            case Document() as document:
                page = self._editors.page_of(document)
                if page is not None:
                    self._documents.current = document
                    self._shell.layout.uncover(self._editors)
                    page.go_to(spot.line, spot.column)
            case _Listing(kind, name, module):
                if module is not None:
                    self._documents.current = module
                pane = self._listings[kind]
                pane.choose(name)
                pane.code_view.go_to(spot.line)
                self._shell.layout.bring_up(pane)
        # What this moved is where the user is, and no jump.
        self._here, self._has_jumped = spot, False

    def _show_ways(self) -> None:
        self._back.setEnabled(self._history.can_go_back)
        self._forward.setEnabled(self._history.can_go_forward)

    @Slot()
    def _on_back(self) -> None:
        if (here := self._spot()) and (spot := self._history.back(here)):
            self._go(spot)
        self._show_ways()

    @Slot()
    def _on_forward(self) -> None:
        if (here := self._spot()) and (spot := self._history.forward(here)):
            self._go(spot)
        self._show_ways()

    @Slot()
    def _on_settled(self) -> None:
        now, before = self._spot(), self._here
        if now is None:
            return
        is_jump = before is not None and (self._has_jumped or now.text != before.text)
        if before is not None and is_jump and not now.is_near(before):
            self._history.add(before)
            self._show_ways()
        self._here, self._has_jumped = now, False

    @Slot()
    def _on_jumped(self) -> None:
        self._has_jumped = True
        self._settled.start()

    @Slot()
    def _on_moved(self) -> None:
        self._settled.start()

    @Slot(Document)
    def _on_document_removed(self, document: Document) -> None:
        self._history.forget(lambda text: document in (text, getattr(text, "module", None)))
        self._show_ways()

    @Slot(QWidget, QWidget)
    def _on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        if new is None:
            return
        for kind, pane in self._listings.items():
            if pane.isAncestorOf(new):
                self._pane = kind
                break
        else:
            if not self._editors.isAncestorOf(new):
                return
            self._pane = None
        self._settled.start()


MOST_SPOTS = 100


@dataclass(frozen=True)
class Spot:
    """A place in a text.

    Attributes:
        text: The document or listing, which is only compared with others.
        line: Counted from 1.
        column: Counted from 1; 0 where it does not matter.
    """

    text: object
    line: int
    column: int = 0

    def is_near(self, other: Spot) -> bool:
        """Returns whether going from here to `other` would not be felt as a jump."""
        return self.text == other.text and self.line == other.line


class History:
    """Goes back and forth between jumps, as in a browser: a new jump drops the places ahead."""

    def __init__(self, most: int = MOST_SPOTS) -> None:
        self._most = most
        self._behind: list[Spot] = []
        self._ahead: list[Spot] = []

    @property
    def can_go_back(self) -> bool:
        """Whether there is a place to go back to."""
        return bool(self._behind)

    @property
    def can_go_forward(self) -> bool:
        """Whether there is a place that was gone back from."""
        return bool(self._ahead)

    def add(self, left: Spot) -> None:
        """Notes that the user jumps away from `left`."""
        self._ahead.clear()
        _push(self._behind, left)
        del self._behind[: -self._most]

    def back(self, here: Spot) -> Spot | None:
        """Returns the place before, to go to from `here`; None where there is none."""
        return _step(self._behind, self._ahead, here)

    def forward(self, here: Spot) -> Spot | None:
        """Returns the place that was gone back from; None where there is none."""
        return _step(self._ahead, self._behind, here)

    def forget(self, is_gone: Callable[[object], bool]) -> None:
        """Leaves out the places in texts that are gone."""
        for spots in (self._behind, self._ahead):
            spots[:] = [spot for spot in spots if not is_gone(spot.text)]


def _step(source: list[Spot], target: list[Spot], here: Spot) -> Spot | None:
    while source:
        spot = source.pop()
        if not spot.is_near(here):
            _push(target, here)
            return spot
    return None


def _push(spots: list[Spot], spot: Spot) -> None:
    if spots and spots[-1].is_near(spot):
        spots.pop()
    spots.append(spot)
