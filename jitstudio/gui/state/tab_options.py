"""The options that a tab is built with: of all sources, or of the tab alone."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.code import CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Document, Documents, takes_part_alone

_COMPILED = frozenset({CodeKind.CUDA, CodeKind.LLVM_IR, CodeKind.PTX, CodeKind.LTOIR})
"""What a compiler or assembler reads by itself; machine code and captured kernels are shown."""


def options_of(document: Document, settings: BuildSettings) -> str:
    """Returns the options that a document is built with, as typed."""
    return settings.options if document.options is None else document.options


class TabOptions(QObject):
    """The options of the module that a build is about, wherever these are kept.

    Args:
        documents: The open documents.
        settings: The options of all sources.
        module: Returns the module that a build is about.

    Signals:
        changed: Another module is looked at, or the options of this one have changed.
    """

    changed = Signal()

    def __init__(
        self,
        documents: Documents,
        settings: BuildSettings,
        module: Callable[[], Document | None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._documents = documents
        self._settings = settings
        self._module = module
        # Own options that were given up, for when the tab is to have some again.
        self._aside = WeakKeyDictionary[Document, str]()
        settings.options_changed.connect(self.changed)
        documents.changed.connect(self._on_document_changed)

    @property
    def module(self) -> Document | None:
        """The module that the options are about; None while nothing can be built."""
        return self._module()

    @property
    def owner(self) -> Document | BuildSettings:
        """The owner of the options: the module, or the settings of all sources."""
        module = self.module
        return self._settings if module is None or module.options is None else module

    @property
    def can_be_own(self) -> bool:
        """Whether a tool compiles this module, so that options of its own make a difference."""
        return self.module is not None and self.module.kind in _COMPILED

    @property
    def are_compiled_with(self) -> bool:
        """Whether a compiler or linker takes the options."""
        is_linked = self._settings.link is not LinkMode.NONE
        return self.module is None or self.can_be_own or is_linked

    @property
    def are_own(self) -> bool:
        """Whether this module has own options."""
        return self.owner is not self._settings

    @property
    def text(self) -> str:
        """The options, as typed."""
        return self._text_of(self.module)

    @text.setter
    def text(self, text: str) -> None:
        self.set_text_of(self.module, text)

    def of(self, file: str) -> str:
        """Returns the options of a module by name; without a name, the options of the build.

        These are those of all sources in a link, and otherwise those of the module.
        """
        return self._text_of(self._owner(file))

    def set_of(self, file: str, text: str) -> None:
        """Sets the options of a module by name; see `of`."""
        self.set_text_of(self._owner(file), text)

    def set_text_of(self, owner: Document | None, text: str) -> None:
        """Sets own options of a document that has some; otherwise the options of all sources."""
        if owner is None or owner.options is None:
            self._settings.options = text
        else:
            owner.options = text

    def _owner(self, file: str) -> Document | None:
        document = self._documents.named(file)
        if document is not None and takes_part_alone(document):
            return document
        return self.module if self._settings.link is LinkMode.NONE else None

    def _text_of(self, owner: Document | None) -> str:
        return self._settings.options if owner is None else options_of(owner, self._settings)

    def make_own(self, own: bool) -> None:
        """Gives the module options of its own, which begin as those of all, or takes them away.

        What is taken away is back once the module has options of its own again.
        """
        module = self.module
        if module is None or own is self.are_own:
            return
        if module.options is None:
            module.options = self._aside.pop(module, self._settings.options)
        else:
            self._aside[module] = module.options
            module.options = None

    @Slot(Document)
    def _on_document_changed(self, document: Document) -> None:
        if document is self.module:
            self.changed.emit()
