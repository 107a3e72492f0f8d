"""Keeps the form of options in step with the options and with what they would be sent to."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Slot

from jitstudio.core.plan import PlanError, plan
from jitstudio.core.request import BuildRequest
from jitstudio.core.tools import Tool, ToolchainInfo
from jitstudio.gui.features.options.view import OptionsForm
from jitstudio.gui.state.build_controller import SHOWN_AND_SAVED
from jitstudio.gui.state.workspace import Workspace


class OptionsController(QObject):
    """Shows the options of the settings, and which tools of the next build take each."""

    def __init__(self, workspace: Workspace, form: OptionsForm) -> None:
        super().__init__(form)
        self._workspace = workspace
        self._form = form
        # The form is long: what changes together is shown together.
        self._settling = QTimer(self, singleShot=True, interval=0)
        self._settling.timeout.connect(self._show_plan)
        workspace.settings.options_changed.connect(form.set_text)
        workspace.settings.changed.connect(self._on_plan_changed)
        workspace.build_controller.module_changed.connect(self._on_plan_changed)
        workspace.tell_toolchain(self._on_toolchain_found)
        form.shown.connect(self._on_plan_changed)
        form.text_changed.connect(self._on_text_changed)
        form.set_text(workspace.settings.options)
        self._on_plan_changed()

    @Slot()
    def _on_plan_changed(self) -> None:
        self._settling.start()

    @Slot()
    def _show_plan(self) -> None:
        if not self._form.isVisible():
            return  # it asks again when it is looked at
        workspace = self._workspace
        # Of the modules only their kinds matter here: reading their texts would take time.
        sources = tuple(module.without_content() for module in workspace.build_controller.modules())
        try:
            steps = plan(BuildRequest(sources, emit=SHOWN_AND_SAVED, link=workspace.settings.link))
        except PlanError:
            return
        # The driver's compiler takes the options of nvJitLink.
        tools = {Tool.NVJITLINK if s.tool is Tool.DRIVER else s.tool for s in steps}
        self._form.set_tools(frozenset(tools))

    @Slot(ToolchainInfo)
    def _on_toolchain_found(self, info: ToolchainInfo) -> None:
        self._form.set_versions({tool.tool: tool.version for tool in info.tools if tool.version})

    @Slot(str)
    def _on_text_changed(self, text: str) -> None:
        self._workspace.settings.options = text
