"""Offers the pane once the module that is looked at has name expressions."""

from __future__ import annotations

from functools import partial

from jitstudio.gui.context import Context
from jitstudio.gui.shell.docking.layout_manager import LayoutManager
from jitstudio.gui.state.build_controller import BuildController


def install(context: Context) -> None:
    """Follows the module that is looked at, and changes of its expressions."""
    documents, build_controller = context.state.documents, context.state.build_controller
    offer = partial(_offer, build_controller, context.shell.layout)
    for signal in (build_controller.module_changed, documents.edited, documents.changed):
        signal.connect(offer)
    offer()


def _offer(build_controller: BuildController, layout: LayoutManager, *_changed: object) -> None:
    module = build_controller.module
    if module is not None and module.name_expressions:
        layout.offer("names")
