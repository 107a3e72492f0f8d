"""PTX and SASS: the listings of each build, names in C++, links, and saving."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication

from jitstudio.core.code import LINKED, CodeKind
from jitstudio.gui.context import Context
from jitstudio.gui.features.ptx_sass.columns import ColumnsController, CountColumnsController
from jitstudio.gui.features.ptx_sass.pressure import PressureController
from jitstudio.gui.features.ptx_sass.readable import ReadableController
from jitstudio.gui.kit.command_keys import COMMAND_KEYS
from jitstudio.gui.kit.lazy_widget import Visibility
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.listing.saving import pane_with_keyboard
from jitstudio.gui.shell.context_menus import OF_LISTINGS, OF_SASS
from jitstudio.gui.shell.navigation import KernelPlace, ListingPlace
from jitstudio.gui.shell.notice_bar import NoticeAction
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.function_listings import FunctionListings
from jitstudio.gui.state.lowered_names import LoweredNames
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.settings_table import DEMANGLE
from jitstudio.listing.functions import function_at


def install(context: Context) -> None:
    """Makes the panes of PTX and SASS, which other features share."""
    state, shell = context.state, context.shell
    for kind, name in ((CodeKind.PTX, "ptx"), (CodeKind.SASS, "sass")):
        context.listings[kind] = OutputPane(kind, f"{name}View", shell.layout.place(name))
        shell.layout.fill(name, context.listings[kind])
        context.saver.add(context.listings[kind])
    FiltersController(context.listings, state.preferences, shell)
    listings = ListingsController(
        state.documents,
        state.outputs,
        state.preferences,
        state.lowered_names,
        state.disassembly,
        context.listings,
        shell,
    )
    context.navigator.lead(ListingPlace, listings.go_to)
    context.navigator.lead(KernelPlace, listings.go_to_kernel)
    DisassemblyController(state.disassembly, state.function_listings, context.listings, shell)
    columns = ColumnsController(
        state.disassembly,
        state.constant_namings,
        state.launches,
        state.preferences,
        context.listings,
        shell,
    )
    ReadableController(
        state.disassembly,
        state.constant_namings,
        state.preferences,
        context.listings[CodeKind.SASS],
        shell,
    )
    CountColumnsController(state.launches, state.preferences, context.listings[CodeKind.PTX])
    PressureController(
        state.disassembly,
        state.correlations,
        state.preferences,
        state.documents,
        context.editors,
        columns,
        state.launches,
        context.listings[CodeKind.SASS],
        shell,
    )
    for kind, pane in context.listings.items():
        shell.stale_marks.add(pane.code_view, partial(getattr, pane, "is_old"))
        pane.listing_changed.connect(shell.stale_marks.update)
        groups = OF_SASS if kind is CodeKind.SASS else OF_LISTINGS
        shell.context_menus.add_to_text(pane.code_view.menu_opening, groups)


class ListingsController(QObject):
    """Shows the listings of a build in the panes of PTX and SASS, with the panes' commands."""

    def __init__(
        self,
        documents: Documents,
        outputs: Outputs,
        preferences: Preferences,
        lowered_names: LoweredNames,
        disassembly: CurrentDisassembly,
        listings: Mapping[CodeKind, OutputPane],
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        actions = shell.actions
        self._shell = shell
        self._listings = listings
        self._documents = documents
        self._outputs = outputs
        self._listed = dict.fromkeys(listings, frozenset[str]())
        self._preferences = preferences
        self._names = lowered_names
        self._demangle = actions["demangleAction"]
        self._names.learnt.connect(self._on_learnt)
        self._preferences.changed.connect(self._on_preference_changed)
        for pane in listings.values():
            pane.reported.connect(shell.status.show_message)
            pane.code.names_wanted.connect(self._on_names_wanted)
        COMMAND_KEYS.changed.connect(self._on_keys_changed)
        self._on_preference_changed(DEMANGLE)
        self._disassembly = disassembly
        self._disassembly.kernel_changed.connect(self._on_kernels_changed)
        self._outputs.result_changed.connect(self._on_kernels_changed)
        self._outputs.changed.connect(self._on_output_changed)
        self._documents.current_changed.connect(self._on_current_changed)
        for kind in listings:
            self._on_output_changed(kind)
        self._on_kernels_changed()
        actions.bind(
            {
                "followAction": self._on_follow,
                "demangleAction": self._on_demangle,
            }
        )

    @Slot(CodeKind)
    def _on_output_changed(self, kind: CodeKind) -> None:
        if kind not in self._listings:
            return
        pane, output = self._listings[kind], self._outputs.output(kind)
        names = frozenset(listing.name for listing in output.listings)
        # What was linked of all modules is about each of them.
        modules = frozenset() if LINKED in names else names
        pane.show_output(output)
        # Modules are compiled side by side: their order is arbitrary.
        current = self._documents.current
        if current is not None and current.name in modules - self._listed[kind]:
            pane.choose(current.name)
        self._listed[kind] = modules

    @Slot()
    def _on_keys_changed(self) -> None:
        """Names the new keys where that is all there is to show."""
        for pane in self._listings.values():
            if not pane.output.listings:
                pane.show_output(pane.output)

    @Slot(object)
    def _on_current_changed(self, document: Document | None) -> None:
        """Shows, of a link, the listing of the current module."""
        for kind, modules in self._listed.items():
            if document is not None and document.name in modules:
                self._listings[kind].choose(document.name)

    def go_to(self, place: ListingPlace) -> None:
        """Brings up a listing, at a line if the place has a line; does nothing without listing."""
        pane = self._listings[place.kind]
        if place.line is None:
            pane.choose(place.name)
        elif not pane.go_to(place.name, place.line):
            return
        self._shell.layout.bring_up(pane)

    def go_to_kernel(self, place: KernelPlace) -> None:
        """Brings up the code of a kernel."""
        pane = self._listings[place.kind]
        pane.go_to_kernel(place.kernel.module, place.kernel.name)
        if place.kind is CodeKind.SASS:
            # Report and graph, too; and what is not listed yet will be.
            self._disassembly.set_kernel(place.kernel.name)
        self._shell.layout.bring_up(pane)

    @Slot()
    def _on_follow(self) -> None:
        pane = pane_with_keyboard(self._listings.values())
        if pane is None:
            self._shell.status.show_message(
                self.tr("Links are followed in PTX and SASS: go there first")
            )
        else:
            pane.code_view.links.follow()

    @Slot(bool)
    def _on_demangle(self, on: bool) -> None:
        self._preferences.set_value(DEMANGLE, on)

    @Slot(str)
    def _on_preference_changed(self, key: str) -> None:
        if key == DEMANGLE:
            on = bool(self._preferences.value(DEMANGLE))
            self._demangle.setChecked(on)
            for pane in self._listings.values():
                pane.code.set_demangled(on)

    @Slot()
    def _on_kernels_changed(self) -> None:
        """Lets new listings begin with the kernel that is looked at, or the first of the source."""
        result = self._outputs.result
        named = [kernel.name for kernel in result.kernels] if result is not None else []
        for pane in self._listings.values():
            pane.begin_with((self._disassembly.kernel, *named))

    @Slot(frozenset)
    def _on_names_wanted(self, names: frozenset[str]) -> None:
        self._names.want(names)
        self._on_learnt()

    @Slot()
    def _on_learnt(self) -> None:
        for pane in self._listings.values():
            pane.code.learn(self._names.known)


class FiltersController(QObject):
    """Sets the filters of the listings as they were left, and keeps each change."""

    def __init__(
        self,
        listings: Mapping[CodeKind, OutputPane],
        preferences: Preferences,
        shell: Shell,
    ) -> None:
        super().__init__(shell.status)
        self._preferences = preferences
        self._outputs = listings
        for kind, pane in listings.items():
            pane.code_view.visibility.set_filters(preferences.filters(kind.value))
            pane.code_view.visibility.filters_changed.connect(self._on_filters_changed)

    @Slot()
    def _on_filters_changed(self) -> None:
        for kind, pane in self._outputs.items():
            self._preferences.set_filters(kind.value, pane.code_view.visibility.filters)


# ---- The SASS that is looked at, read

_USER = "sass"
_FAILED = "reading"


class DisassemblyController(QObject):
    """Ties the pane of SASS to the reading of the machine code."""

    def __init__(
        self,
        disassembly: CurrentDisassembly,
        function_listings: FunctionListings,
        listings: Mapping[CodeKind, OutputPane],
        shell: Shell,
    ) -> None:
        super().__init__(disassembly)
        self._disassembly = disassembly
        self._function_listings = function_listings
        self._status, self._notice = shell.status, shell.notices
        self._problem = ""
        self._pane = listings[CodeKind.SASS]
        self._pane.listing_changed.connect(self._on_listing_changed)
        self._pane.function_wanted.connect(self._on_function_wanted)
        function_listings.began.connect(self._on_function_began)
        function_listings.failed.connect(self._on_function_failed)
        self._pane.code_view.line_changed.connect(self._on_line_changed)
        self._ptx = listings[CodeKind.PTX]
        self._ptx.code_view.line_changed.connect(self._on_ptx_line_changed)
        self._disassembly.changed.connect(self._on_changed)
        Visibility(self._pane, self, self._on_visibility_changed)
        self._on_listing_changed()

    @Slot(bool)
    def _on_visibility_changed(self, visible: bool) -> None:
        self._disassembly.want(_USER, visible)

    @Slot()
    def _on_listing_changed(self) -> None:
        self._disassembly.look_at(self._pane.listing)

    @Slot(str)
    def _on_function_wanted(self, name: str) -> None:
        if name:
            self._disassembly.set_kernel(name)
        elif self._pane.listing is not None:
            self._function_listings.show_all(self._pane.listing)

    @Slot(str)
    def _on_function_began(self, name: str) -> None:
        shown = self._pane.code.spelling.name(name)
        self._status.show_message(self.tr("Disassembling {name}").format(name=shown))

    @Slot(str)
    def _on_function_failed(self, message: str) -> None:
        self._notice.show_message(message)
        # The list names what is shown, not what is not to be had.
        self._pane.header.functions.follow(self._pane.code_view.line)

    @Slot()
    def _on_changed(self) -> None:
        disassembly = self._disassembly
        inspection = disassembly.current
        for note in inspection.code.notes if inspection is not None else ():
            self._status.show_message(note)
        if not disassembly.may_read_again:
            self._notice.withdraw(_FAILED)
        elif self._problem != disassembly.problem:
            again = NoticeAction("readAgain", self.tr("Read Again"), disassembly.read_again)
            self._notice.ask(_FAILED, disassembly.problem, (again,))
        self._problem = disassembly.problem

    @Slot(int)
    def _on_line_changed(self, line: int) -> None:
        inspection = self._disassembly.current
        spot = inspection.rows.spot(line - 1) if inspection is not None else None
        if spot is not None:
            self._disassembly.set_kernel(spot.function.name)

    @Slot(int)
    def _on_ptx_line_changed(self, line: int) -> None:
        # Where the user goes in PTX, not where a listing that comes up begins.
        focus = QApplication.focusWidget()
        if focus is None or not self._ptx.isAncestorOf(focus):
            return
        function = function_at(self._ptx.code.code.functions, line - 1)
        if function is not None and function.is_kernel and function.is_defined:
            self._disassembly.set_kernel(function.name)
