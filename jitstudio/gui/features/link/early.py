"""Offers the pane once there are two modules to be linked; commands choose the link without it."""

from __future__ import annotations

from functools import partial

from PySide6.QtGui import QActionGroup

from jitstudio.core.request import LinkMode
from jitstudio.gui.context import Context
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.shell.docking.layout_manager import LayoutManager
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Documents, takes_part_alone

_COMMANDS = {
    LinkMode.NONE: "linkNoneAction",
    LinkMode.PTX: "linkPtxAction",
    LinkMode.LTO: "linkLtoAction",
}


def install(context: Context) -> None:
    """Follows the open documents."""
    documents = context.state.documents
    offer = partial(_offer, documents, context.shell.layout)
    for signal in (documents.added, documents.edited, documents.changed):
        signal.connect(offer)
    offer()
    settings, actions = context.state.settings, context.shell.actions
    group = QActionGroup(actions)
    for name in _COMMANDS.values():
        group.addAction(actions[name])
    show = partial(_show, actions)
    show(settings.link)
    settings.link_changed.connect(show)
    actions.bind({name: partial(_choose, settings, mode) for mode, name in _COMMANDS.items()})


def _offer(documents: Documents, layout: LayoutManager, *_changed: object) -> None:
    if sum(map(takes_part_alone, documents)) > 1:
        layout.offer("link")


def _show(actions: Actions, mode: LinkMode) -> None:
    actions[_COMMANDS[mode]].setChecked(True)


def _choose(settings: BuildSettings, mode: LinkMode, is_on: bool) -> None:
    if is_on:
        settings.link = mode
