"""Offers the pane once there are two modules to be linked; commands choose the link without it."""

from __future__ import annotations

from functools import partial

from jitstudio.core.request import LinkMode
from jitstudio.gui.context import Context
from jitstudio.gui.shell.docking.layout_manager import LayoutManager
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Documents, takes_part_alone

_COMMANDS = {
    "linkNoneAction": LinkMode.NONE,
    "linkPtxAction": LinkMode.PTX,
    "linkLtoAction": LinkMode.LTO,
}


def install(context: Context) -> None:
    """Follows the open documents."""
    documents = context.state.documents
    offer = partial(_offer, documents, context.shell.layout)
    for signal in (documents.added, documents.edited, documents.changed):
        signal.connect(offer)
    offer()
    settings = context.state.settings
    context.shell.actions.bind(
        {name: partial(_choose, settings, mode) for name, mode in _COMMANDS.items()}
    )


def _offer(documents: Documents, layout: LayoutManager, *_changed: object) -> None:
    if sum(map(takes_part_alone, documents)) > 1:
        layout.offer("link")


def _choose(settings: BuildSettings, mode: LinkMode) -> None:
    settings.link = mode
