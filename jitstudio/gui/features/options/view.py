"""The options of all tools as a form: searched, grouped, changed row by row.

The text of the options is decisive: a change of a row changes the text, and a text from elsewhere
changes the rows.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QItemSelection, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.options import OptionSpec
from jitstudio.core.tools import Tool
from jitstudio.gui.features.options.model import OptionsFilter, OptionsModel
from jitstudio.gui.features.options.options_tree import OptionsTree
from jitstudio.gui.kit.fonts import show_as_code, show_bold
from jitstudio.gui.kit.parts import FieldName, icon_button, mark_as, muted, text_label

_CODE_SIZE = 9.5
_HELP_LINES = 3
_LEAST_SCOPE = 12


class OptionsForm(QWidget):
    """A search field over a tree of options, the help on the chosen option, and further options.

    Signals:
        text_changed: The user changed an option; all options as text.
        own_chosen: The user wants options of its own for the tab, or those of all sources.
    """

    text_changed = Signal(str)
    own_chosen = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("optionsForm")
        self._model = OptionsModel(self)
        self._filter = OptionsFilter(self._model, self)
        self._scope = self._make_scope()
        self._search = self._make_search()
        self._changed_only = icon_button(
            self, self.tr("Changed only"), self.tr("List only what differs"), "filter"
        )
        self._changed_only.setCheckable(True)
        self._reset_all = icon_button(
            self, self.tr("Reset all"), self.tr("Set every option to its default"), "reset"
        )
        self._message = mark_as(text_label(self, "optionsMessage"), "warning")
        self._tree = OptionsTree(self._model, self._filter, self)
        self._title = text_label(self, "optionTitle")
        self._usage = text_label(self, "optionUsage")
        self._help = muted(text_label(self, "optionHelp"))
        self._reset = icon_button(
            self, self.tr("Reset"), self.tr("Set this option to its default (Del)"), "reset"
        )
        self._other = self._make_other()
        self._details = self._make_details()
        self._lay_out()
        self.setFocusProxy(self._search)
        self._connect()
        self._update()

    @property
    def model(self) -> OptionsModel:
        """The model of the options."""
        return self._model

    @property
    def tree(self) -> OptionsTree:
        """The tree of options."""
        return self._tree

    @Slot(str)
    def set_text(self, text: str) -> None:
        """Shows the options in `text`, without reporting a change of the user."""
        self._model.set_text(text)

    def finish_editing(self) -> None:
        """Takes the texts of fields that are still open."""
        self._tree.finish_editing()
        self._on_other_edited()

    def set_scope(self, name: str, *, are_own: bool) -> None:
        """Says which sources the options are for.

        Args:
            name: The tab that can have options of its own; empty for none.
            are_own: Whether the tab has them.
        """
        with QSignalBlocker(self._scope):
            self._scope.clear()
            self._scope.addItem(self.tr("for all sources"), False)
            if name:
                self._scope.addItem(self.tr("for {name} alone").format(name=name), True)
            self._scope.setCurrentIndex(int(are_own and bool(name)))
        self._scope.setEnabled(bool(name))

    def set_tools(self, tools: frozenset[Tool]) -> None:
        """Greys the options that none of the tools accepts."""
        self._model.set_tools(tools)
        self._update()

    def set_versions(self, versions: Mapping[Tool, str]) -> None:
        """Takes in the versions of tools: older versions lack options."""
        self._model.set_versions(versions)
        self._update()

    @Slot(str)
    def search(self, text: str) -> None:
        """Searches options, as if `text` were typed into the search field."""
        self._search.setText(text)
        self._search.setFocus()

    def _make_scope(self) -> QComboBox:
        scope = QComboBox(self)
        scope.setObjectName("optionsScope")
        scope.setAccessibleName(self.tr("Sources that the options are for"))
        scope.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        scope.setMinimumContentsLength(_LEAST_SCOPE)
        scope.setToolTip(
            self.tr(
                "A tab alone can have options of its own instead of those of all sources.\n"
                "It begins with these; a link takes those of all sources in any case."
            )
        )
        return scope

    def _make_search(self) -> QLineEdit:
        search = QLineEdit(self)
        search.setObjectName("optionsSearch")
        search.setPlaceholderText(self.tr("Search options, e.g. denormal or -ftz"))
        search.setAccessibleName(self.tr("Search options"))
        search.setClearButtonEnabled(True)
        return search

    def _make_other(self) -> QLineEdit:
        other = QLineEdit(self)
        other.setObjectName("otherOptions")
        show_as_code(other, _CODE_SIZE)
        other.setAccessibleName(self.tr("Other options"))
        other.setPlaceholderText("nvjitlink:-O0 --of-a-newer-version")
        other.setToolTip(
            self.tr(
                "Options that the list does not have, and those for a single tool.\n"
                "They are sent as they are."
            )
        )
        return other

    def _make_details(self) -> QFrame:
        frame = QFrame(self)
        show_bold(self._title)
        show_as_code(self._usage, _CODE_SIZE)
        self._usage.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._help.setMinimumHeight(self._help.fontMetrics().lineSpacing() * _HELP_LINES)
        self._help.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._reset)
        layout = QVBoxLayout(frame)
        layout.setContentsMargins(10, 6, 10, 6)
        layout.setSpacing(2)
        layout.addLayout(head)
        layout.addWidget(self._usage)
        layout.addSpacing(4)
        layout.addWidget(self._help)
        return frame

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.addWidget(self._changed_only)
        buttons.addStretch(1)
        buttons.addWidget(self._reset_all)
        # Below each other: a dock is narrow, and the field says what can be looked for.
        bar = QVBoxLayout()
        bar.setContentsMargins(6, 5, 6, 5)
        bar.setSpacing(4)
        bar.addWidget(self._scope)
        bar.addWidget(self._search)
        bar.addLayout(buttons)
        self._message.setContentsMargins(10, 0, 10, 5)
        other_label = FieldName(self.tr("Other option&s"), self._other, self)
        other = QHBoxLayout()
        other.setContentsMargins(10, 4, 6, 6)
        other.setSpacing(8)
        other.addWidget(other_label)
        other.addWidget(self._other, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self._message)
        layout.addWidget(self._tree, 1)
        layout.addWidget(self._details)
        layout.addLayout(other)

    def _connect(self) -> None:
        self._scope.activated.connect(self._on_scope_chosen)
        self._search.textChanged.connect(self._on_search_changed)
        self._changed_only.toggled.connect(self._on_changed_only_toggled)
        self._reset_all.clicked.connect(self._model.reset_all)
        self._reset.clicked.connect(self._tree.reset_current)
        self._other.editingFinished.connect(self._on_other_edited)
        self._model.text_changed.connect(self._on_text_changed)
        self._model.reread.connect(self._update)
        self._tree.selectionModel().selectionChanged.connect(self._on_selection_changed)
        down = QShortcut(QKeySequence("Down"), self._search)
        down.setContext(Qt.ShortcutContext.WidgetShortcut)
        down.activated.connect(self._tree.enter)

    @Slot()
    def _update(self) -> None:
        values = self._model.values
        self._message.setText(values.problem or values.warning)
        self._message.setVisible(bool(self._message.text()))
        usable = not values.problem
        self._tree.setEnabled(usable)
        self._other.setEnabled(usable)
        self._other.setText(values.other)
        self._reset_all.setEnabled(usable and self._model.changed)
        self._show_details(self._tree.current_spec)

    def _show_details(self, spec: OptionSpec | None) -> None:
        changed = spec is not None and bool(self._model.values.values(spec))
        self._reset.setEnabled(changed and not self._model.values.problem)
        self._title.setText(spec.name if spec else "")
        self._usage.setText(spec.usage if spec else "")
        no_choice = self.tr("Choose an option to read what it does.")
        self._help.setText(self._model.description(spec) if spec else no_choice)

    @Slot(int)
    def _on_scope_chosen(self, place: int) -> None:
        self.own_chosen.emit(self._scope.itemData(place))

    @Slot(str)
    def _on_search_changed(self, text: str) -> None:
        self._filter.set_search(text)
        self._tree.expandAll()

    @Slot(bool)
    def _on_changed_only_toggled(self, changed_only: bool) -> None:
        self._filter.set_changed_only(changed_only)
        self._tree.expandAll()

    @Slot()
    def _on_other_edited(self) -> None:
        try:
            self._model.set_other(self._other.text())
        except ValueError as error:
            # What was typed stays in the field until its quotes are right.
            self._message.setText(str(error))
            self._message.show()

    @Slot(str)
    def _on_text_changed(self, text: str) -> None:
        self._update()
        self.text_changed.emit(text)

    @Slot(QItemSelection, QItemSelection)
    def _on_selection_changed(self) -> None:
        self._show_details(self._tree.current_spec)
