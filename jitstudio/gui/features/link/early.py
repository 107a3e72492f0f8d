"""Offers the pane once there are two modules to be linked."""

from __future__ import annotations

from functools import partial

from jitstudio.gui.context import Context
from jitstudio.gui.shell.docking.layout_manager import LayoutManager
from jitstudio.gui.state.documents import Documents, takes_part_alone


def install(context: Context) -> None:
    """Follows the open documents."""
    documents = context.state.documents
    offer = partial(_offer, documents, context.shell.layout)
    for signal in (documents.added, documents.edited, documents.changed):
        signal.connect(offer)
    offer()


def _offer(documents: Documents, layout: LayoutManager, *_changed: object) -> None:
    if sum(map(takes_part_alone, documents)) > 1:
        layout.offer("link")
