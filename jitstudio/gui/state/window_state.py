"""The state of a window and the services that work on the state, without a widget."""

from __future__ import annotations

from PySide6.QtCore import QObject

from jitstudio.cache.store import Store
from jitstudio.gui.services.analysis_service import AnalysisService
from jitstudio.gui.services.build_service import BuildService
from jitstudio.gui.services.launch_service import LaunchService, StepService
from jitstudio.gui.services.library_service import LibraryService
from jitstudio.gui.services.pass_service import PassService
from jitstudio.gui.services.request_queue import close_all
from jitstudio.gui.services.variant_service import VariantService
from jitstudio.gui.state.baselines import Baselines
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.constant_namings import ConstantNamings
from jitstudio.gui.state.correlation import Correlations
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.function_listings import FunctionListings
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.launch_specs import LaunchSpecs, StepRecordings, VariantDrafts
from jitstudio.gui.state.lowered_names import LoweredNames
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.problems import Problems
from jitstudio.gui.state.project import ProjectState
from jitstudio.gui.state.session_owners import give_breakpoints, give_launches, give_project
from jitstudio.gui.state.side_builds import SideBuilds
from jitstudio.gui.state.staleness import Staleness
from jitstudio.gui.state.stepping import Stepping
from jitstudio.gui.state.tab_options import TabOptions
from jitstudio.gui.state.toolchain import OtherToolchains, Toolchain
from jitstudio.gui.state.user_state import UserState


class WindowState(QObject):
    """Owns the state of a window, from the start to the end.

    Args:
        user_state: The open documents and the choices of the user.

    Attributes:
        toolchain: The tools that are installed.
        other_toolchains: Other versions of the compilers.
    """

    def __init__(self, user_state: UserState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.preferences = user_state.preferences
        self.documents = user_state.documents
        self.settings = user_state.settings
        self.session = user_state.session
        self.outputs = Outputs(self)
        store = Store()
        self.service = BuildService(self, store=store)
        self.side_service = BuildService(self, store=store, yields=True)
        self.side_builds = SideBuilds(self.side_service, self)
        self.toolchain = Toolchain(self.service, self.settings, self)
        self.other_toolchains = OtherToolchains(self.settings, self)
        self.lowered_names = LoweredNames(self.service, self)
        self.build_controller = BuildController(
            self.documents, self.settings, self.outputs, self.service, parent=self
        )
        builds = self.build_controller
        self.tab_options = TabOptions(self.documents, self.settings, lambda: builds.module, self)
        builds.module_changed.connect(self.tab_options.changed)
        self.staleness = Staleness(
            self.documents, self.settings, self.outputs, self.build_controller, parent=self
        )
        self.analysis_service = AnalysisService(self, store=store)
        self.library_service = LibraryService(self)
        self.pass_service = PassService(self, store=store)
        self.baselines = Baselines(self)
        self.function_listings = FunctionListings(
            self.outputs, self.service, self.side_builds, self
        )
        self.disassembly = CurrentDisassembly(
            self.outputs, self.analysis_service, self.function_listings, self
        )
        self.constant_namings = ConstantNamings(self.disassembly, self)
        self.correlations = Correlations(self.documents, self.disassembly, self)
        self.launch_specs = LaunchSpecs(self)
        self.launch_service = LaunchService(self)
        self.variant_drafts = VariantDrafts(self)
        self.variant_service = VariantService(self)
        self.step_recordings = StepRecordings(self)
        self.project = ProjectState(
            self.documents,
            self.settings,
            self.launch_specs,
            self.variant_drafts,
            self,
            self.step_recordings,
        )
        give_launches(self.session, self.launch_specs)
        give_project(self.session, self.project)
        if self.project.path is not None:
            self.build_controller.hold()
        self.launches = LaunchController(
            self.build_controller,
            self.outputs,
            self.launch_specs,
            self.launch_service,
            self.preferences,
            parent=self,
            keep_before=self.session.save_before,
        )
        self.problems = Problems(self.documents, self.outputs, self.launches, self)
        self.step_service = StepService(self)
        self.stepping = Stepping(self.launches, self.documents, self.step_service, self)
        give_breakpoints(self.session, self.stepping)
        # Else the first worker would not know.
        self.service.set_memory_share(float(self.preferences.value("build.memory")))
        self.toolchain.probe()

    def close(self) -> None:
        """Keeps the session and ends the workers."""
        try:
            self.session.close()
        finally:
            close_all(
                (
                    self.step_service,
                    self.variant_service,
                    self.launch_service,
                    self.analysis_service,
                    self.library_service,
                    self.pass_service,
                    self.side_service,
                    self.service,
                )
            )
