"""Keeps the form of options in step with the options and with the tools of the next build."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Slot

from jitstudio.core.plan import PlanError, plan
from jitstudio.core.request import BuildRequest
from jitstudio.core.toolchain_info import ToolchainInfo
from jitstudio.core.tools import Tool
from jitstudio.gui.context import Context
from jitstudio.gui.features.options.view import OptionsForm
from jitstudio.gui.kit.lazy_widget import Visibility
from jitstudio.gui.state.build_controller import SHOWN_AND_SAVED, BuildController
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.tab_options import TabOptions
from jitstudio.gui.state.toolchain import Toolchain


def install(context: Context) -> None:
    """Makes the pane "Options"."""
    state, shell = context.state, context.shell
    view = OptionsForm(shell.layout.place("options"))
    shell.layout.fill("options", view)
    OptionsController(
        state.settings, state.tab_options, state.build_controller, state.toolchain, view
    )


class OptionsController(QObject):
    """Shows the options of the settings, and which tools of the next build take each."""

    def __init__(
        self,
        settings: BuildSettings,
        tab_options: TabOptions,
        build_controller: BuildController,
        toolchain: Toolchain,
        form: OptionsForm,
    ) -> None:
        super().__init__(form)
        self._settings = settings
        self._tab_options = tab_options
        self._form = form
        self._build_controller = build_controller
        # The module that the form is about.
        self._shown = tab_options.module
        # The form is long: what changes together is shown together.
        self._settling = QTimer(self, singleShot=True, interval=0)
        self._settling.timeout.connect(self._show_plan)
        tab_options.changed.connect(self._show_options)
        settings.changed.connect(self._on_plan_changed)
        build_controller.module_changed.connect(self._on_plan_changed)
        toolchain.follow(self._on_toolchain_found)
        form.text_changed.connect(self._on_text_changed)
        form.own_chosen.connect(tab_options.make_own)
        self._show_options()
        Visibility(form, self, lambda _is_seen: self._on_plan_changed())

    @Slot()
    def _on_plan_changed(self) -> None:
        self._settling.start()

    @Slot()
    def _show_plan(self) -> None:
        if not self._form.isVisible():
            return  # it asks again when it is looked at
        # Of the modules only their kinds matter here: reading their texts would take time.
        sources = tuple(module.without_content() for module in self._build_controller.modules())
        try:
            steps = plan(BuildRequest(sources, emit=SHOWN_AND_SAVED, link=self._settings.link))
        except PlanError:
            return
        module = self._tab_options.module
        if module is not None and self._tab_options.are_own:
            # A link takes those of all sources.
            steps = tuple(step for step in steps if step.name == module.name)
        # The driver's compiler takes the options of nvJitLink.
        tools = {Tool.NVJITLINK if s.tool is Tool.DRIVER else s.tool for s in steps}
        self._form.set_tools(frozenset(tools))

    @Slot()
    def _show_options(self) -> None:
        options = self._tab_options
        if options.module is not self._shown:
            # What is still in a field was typed for the tab before.
            self._form.finish_editing()
            self._shown = options.module
        self._form.set_text(options.text)
        name = options.module.name if options.module is not None else ""
        has_choice = options.can_be_own or options.are_own
        self._form.set_scope(name if has_choice else "", are_own=options.are_own)
        self._settling.start()

    @Slot(ToolchainInfo)
    def _on_toolchain_found(self, info: ToolchainInfo) -> None:
        self._form.set_versions({tool.tool: tool.version for tool in info.tools if tool.version})

    @Slot(str)
    def _on_text_changed(self, text: str) -> None:
        self._tab_options.set_text_of(self._shown, text)
