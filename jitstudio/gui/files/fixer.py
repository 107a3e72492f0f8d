"""Carries out fixes of explanations: on a document as a single undo step, or on settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from jitstudio.core.arch import Arch
from jitstudio.core.diagnostics import TEXT_FIXES, Fix, FixKind, edits_for
from jitstudio.core.options import join_options, split_options, without_option
from jitstudio.core.request import LinkMode
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.kit.code_units import to_units
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.state.build_controller import linked_modules
from jitstudio.gui.state.build_settings import BuildSettings, Switch
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.launch_specs import LaunchSpecs
from jitstudio.gui.state.tab_options import TabOptions


class Fixer(QObject):
    """Carries out fixes.

    Args:
        files: Opens files where the user is to choose some.
        trust: Trusts the open project like the user's own code.
        dialogs: Asks the user; dialogs over `window` where not given.

    Signals:
        applied: Something has been changed; a build will show whether it helped.
        refused: A fix fits no longer.
    """

    applied = Signal()
    refused = Signal(str)

    def __init__(
        self,
        documents: Documents,
        settings: BuildSettings,
        tab_options: TabOptions,
        launch_specs: LaunchSpecs,
        files: FileCommands,
        window: QWidget,
        trust: Callable[[], None],
        dialogs: Dialogs | None = None,
    ) -> None:
        super().__init__(window)
        self._documents = documents
        self._settings = settings
        self._tab_options = tab_options
        self._launch_specs = launch_specs
        self._files = files
        self._trust = trust
        self._dialogs = dialogs or Dialogs(window)
        self._ways: dict[FixKind, Callable[[Fix], bool]] = {
            FixKind.SET_ARCH: self._set_arch,
            FixKind.SET_LINK_MODE: self._set_link_mode,
            FixKind.ADD_OPTION: self._add_option,
            FixKind.REMOVE_OPTION: self._remove_option,
            FixKind.ADD_NAME_EXPRESSION: self._add_name_expression,
            FixKind.REPLACE_TEXT: self._edit_text,
            FixKind.INSERT_TEXT: self._edit_text,
            FixKind.USE_LIBDEVICE: partial(self._turn, Switch.LIBDEVICE, True),
            FixKind.USE_NVJITLINK: partial(self._turn, Switch.DRIVER_JIT, False),
            FixKind.USE_NVCC: partial(self._turn, Switch.NVCC, True),
            FixKind.TRUST_PROJECT: self._trust_project,
            FixKind.ADD_INCLUDE_FOLDER: self._add_include_folder,
            FixKind.OPEN_FILES: self._open_files,
            FixKind.LINK_WITH: self._link_with,
            FixKind.SET_ARGUMENT: self._set_argument,
        }

    @Slot(Fix)
    def apply(self, fix: Fix) -> None:
        """Applies a fix; where nothing happens and no message comes, the user has declined."""
        if self._ways[fix.kind](fix):
            self.applied.emit()

    @Slot(object)
    def apply_all(self, fixes: tuple[Fix, ...]) -> None:
        """Applies all fixes: changes of a text become a single step of undo."""
        by_file: dict[str, list[Fix]] = {}
        for fix in fixes:
            if fix.kind in TEXT_FIXES:
                by_file.setdefault(fix.file, []).append(fix)
        done = [self._ways[fix.kind](fix) for fix in fixes if fix.kind not in TEXT_FIXES]
        done += [self._edit(file, its) for file, its in by_file.items()]
        if any(done):
            self.applied.emit()

    def _set_arch(self, fix: Fix) -> bool:
        self._settings.arch = Arch.parse(fix.value)
        return True

    def _set_link_mode(self, fix: Fix) -> bool:
        self._settings.link = LinkMode(fix.value)
        return True

    def _add_option(self, fix: Fix) -> bool:
        self._append(fix, fix.value)
        return True

    def _remove_option(self, fix: Fix) -> bool:
        try:
            options = split_options(self._tab_options.of(fix.file))
        except ValueError as error:
            self.refused.emit(str(error))
            return False
        self._tab_options.set_of(fix.file, join_options(without_option(options, fix.value)))
        return True

    def _turn(self, switch: Switch, on: bool, _fix: Fix) -> bool:
        self._settings.turn(switch, on)
        return True

    def _set_argument(self, fix: Fix) -> bool:
        spec = self._launch_specs.spec
        texts = dict(spec.arguments)
        if fix.replaces not in texts:
            return False
        texts[fix.replaces] = fix.value
        self._launch_specs.show(replace(spec, arguments=tuple(texts.items())))
        return True

    def _trust_project(self, _fix: Fix) -> bool:
        self._trust()
        return True

    def _add_name_expression(self, fix: Fix) -> bool:
        document = self._document(fix)
        if document is None:
            return False
        rest = (e for e in document.name_expressions if e not in (fix.replaces, fix.value))
        document.name_expressions = (*rest, fix.value)
        return True

    def _edit_text(self, fix: Fix) -> bool:
        return self._edit(fix.file, [fix])

    def _edit(self, file: str, fixes: list[Fix]) -> bool:
        document = self._named(file)
        if document is None or document.text is None or document.held is None:
            return False
        content = document.held.text
        edits = edits_for(fixes, content)
        if not edits:
            self.refused.emit(
                self.tr(
                    "The text has changed since that build, and there is nothing left to fix. "
                    "Build again."
                )
            )
            return False
        cursor = QTextCursor(document.text)
        cursor.beginEditBlock()
        for edit in edits:
            cursor.setPosition(to_units(content, edit.start))
            cursor.setPosition(to_units(content, edit.end), QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText(edit.text)
        cursor.endEditBlock()
        self._documents.current = document
        return True

    def _add_include_folder(self, fix: Fix) -> bool:
        folder = self._dialogs.folder_of_header(fix.value)
        if folder is None:
            return False
        self._append(fix, f"--include-path={folder}")
        return True

    def _open_files(self, _fix: Fix) -> bool:
        before = len(self._documents)
        self._files.open()
        return len(self._documents) > before

    def _link_with(self, fix: Fix) -> bool:
        """Adds a module to the link; without a link, links the two and no others."""
        module, other = self._document(fix), self._named(fix.value)
        if module is None or other is None:
            return False
        program = module.program
        if self._settings.link_of(program) is LinkMode.NONE:
            if not {*linked_modules(self._documents, program)} <= {module, other}:
                program = self._documents.unique_program(module.name)
            self._settings.set_link(program, LinkMode.PTX)
            module.program, module.included = program, True
        other.program, other.included = program, True
        return True

    def _append(self, fix: Fix, option: str) -> None:
        options = f"{self._tab_options.of(fix.file)} {join_options([option])}"
        self._tab_options.set_of(fix.file, options.strip())

    def _document(self, fix: Fix) -> Document | None:
        """Returns the document of a fix, or None after a message that the document is gone."""
        return self._named(fix.file)

    def _named(self, file: str) -> Document | None:
        document = self._documents.named(file)
        if document is None:
            text = self.tr("'{file}' is not open any more. Open it and build again.")
            self.refused.emit(text.format(file=file))
        return document
