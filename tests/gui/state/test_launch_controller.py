"""When a launch begins, with what, and how it always ends; real builds, but no GPU is needed."""

from dataclasses import replace
from time import time_ns

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtTest import QSignalSpy

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.launch.device import SIMULATOR, DeviceList
from jitstudio.core.launch.result import LaunchOutcome
from jitstudio.gui.services.build_service import BuildService
from jitstudio.gui.services.launch_service import LaunchService
from jitstudio.gui.services.request_queue import RequestHandle, close_all
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.launch_specs import LaunchSpecs
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.preferences import Preferences
from tests.devices import ONE_H200
from tests.gui.launches import FACTS
from tests.gui.own_settings import own_settings

PATIENCE = 60_000
ONE = 'extern "C" __global__ void one(int* out, int n) { out[0] = n; }\n'
MORE = 'extern "C" __global__ void one(int* out, double more, int n) { out[0] = n + more; }\n'
BROKEN = 'extern "C" __global__ void one(int* out, int n) { out[0] = oops; }\n'


class HeldService(LaunchService):
    """Takes launches and questions, and leaves the answers to the test."""

    def __init__(self):
        super().__init__()
        self.launched = []
        self.rivals = []
        self.inspected_for = []
        self.looked = 0

    def list_devices(self):
        self.looked += 1
        self.devices = RequestHandle()
        return self.devices

    def launch(self, request, rival=None):
        self.launched.append(request)
        self.rivals.append(rival)
        self.running = RequestHandle()
        return self.running

    def inspect(self, request):
        self.inspected_for.append(request)
        self.inspecting = RequestHandle()
        return self.inspecting


class Bench:
    """A launch studio with one module, as a window has it, and what it has told."""

    def __init__(self, folder):
        self.documents = Documents()
        self.outputs, self.specs = Outputs(), LaunchSpecs()
        self.builder, self.service = BuildService(), HeldService()
        self.build_controller = BuildController(
            self.documents, own_settings(), self.outputs, self.builder
        )
        store = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        self.launches = LaunchController(
            self.build_controller,
            self.outputs,
            self.specs,
            self.service,
            Preferences(store),
            keep_before=self._keep_before,
        )
        self.is_slow_to_keep = False
        self.kept = []
        self.document = Document("one.cu", CodeKind.CUDA, ONE.encode())
        self.documents.add(self.document)
        self.documents.current = self.document
        self.results, self.running, self.progress, self.problems = [], [], [], ()
        self.launches.finished.connect(self.results.append)
        self.launches.running_changed.connect(self.running.append)
        self.launches.progressed.connect(self.progress.append)
        self.launches.problems_changed.connect(self._on_problems_changed)

    def _on_problems_changed(self, problems):
        self.problems = problems

    def _keep_before(self, act):
        if self.is_slow_to_keep:
            self.kept.append(act)
        else:
            act()

    def write(self, text):
        self.document.text.setPlainText(text)
        # As a window does.
        self.outputs.mark_edited(self.document.name)

    @property
    def code_problems(self):
        return [p.message for p in self.problems if p.where == "code"]


@pytest.fixture
def bench(qapp, tmp_path):
    bench = Bench(tmp_path)
    yield bench
    close_all((bench.service, bench.builder))


@pytest.fixture
def built(bench, qtbot):
    """With a kernel, but nobody has looked for GPUs."""
    bench.build_controller.build()
    qtbot.waitUntil(lambda: bench.specs.form is not None, timeout=PATIENCE)
    return bench


@pytest.fixture
def ready(built):
    """With a kernel and a GPU."""
    built.launches.take_devices(ONE_H200)
    return built


def fail(service, handle, message):
    """What a service tells of a request at which the worker breaks."""
    handle.failed.emit(message)
    service.broke.emit(message)


def names(request):
    return [argument.name for argument in request.arguments]


def test_a_run_launches_what_is_built(ready):
    ready.launches.run()
    assert [names(request) for request in ready.service.launched] == [["out", "n"]]
    assert (ready.running, ready.progress, ready.results) == ([True], [], [])
    ready.launches.run()
    assert len(ready.service.launched) == 1


@pytest.mark.parametrize("stopped", [False, True])
def test_nothing_is_launched_before_the_text_is_kept(ready, stopped):
    ready.is_slow_to_keep = True
    ready.launches.run()
    assert (ready.service.launched, ready.running) == ([], [True])
    if stopped:
        ready.launches.cancel()
    ready.kept[0]()
    assert len(ready.service.launched) == (0 if stopped else 1)
    assert [result.outcome for result in ready.results] == [LaunchOutcome.CANCELLED] * stopped


def test_a_run_after_an_edit_waits_for_its_build(ready, qtbot):
    ready.write(MORE)
    ready.launches.run()
    assert ready.service.launched == []
    assert ready.running == [True]
    assert "the build" in ready.progress[0]
    qtbot.waitUntil(lambda: bool(ready.service.launched), timeout=PATIENCE)
    assert names(ready.service.launched[0]) == ["out", "more", "n"]
    cubin = ready.outputs.result.artifact(CodeKind.CUBIN, "one.cu")
    assert ready.service.launched[0].code == cubin.content


def test_new_code_is_never_launched_with_the_old_parameters(ready, qtbot):
    ready.outputs.result_changed.connect(lambda _result: ready.launches.run())
    ready.write(MORE)
    with qtbot.waitSignal(ready.outputs.result_changed, timeout=PATIENCE):
        ready.build_controller.build()
    # The build is there, its parameters are still being read.
    assert ready.service.launched == []
    qtbot.waitUntil(lambda: bool(ready.service.launched), timeout=PATIENCE)
    assert names(ready.service.launched[0]) == ["out", "more", "n"]


def test_a_build_that_is_given_up_holds_no_run_up(ready, qtbot):
    # In no cache: a build that is done cannot be given up.
    ready.write(f"{MORE}// {time_ns()}\n")
    ready.launches.run()
    begun = QSignalSpy(ready.build_controller.began)
    ready.build_controller.cancel()
    qtbot.waitUntil(lambda: bool(ready.results or ready.service.launched), timeout=PATIENCE)
    # Neither is it begun anew, nor is the code before the edit launched.
    assert begun.count() == 0
    assert ready.service.launched == []


def test_a_build_whose_worker_breaks_is_not_begun_again_and_again(ready, qtbot):
    ready.write(MORE)
    begun = QSignalSpy(ready.build_controller.began)
    ready.builder.build = lambda *_, **__: RequestHandle()
    ready.launches.run()
    ready.build_controller._pending.handle.failed.emit("the worker broke")
    qtbot.waitUntil(lambda: bool(ready.results), timeout=PATIENCE)
    assert begun.count() == 1


def test_a_run_that_waits_can_be_stopped(ready, qtbot):
    ready.write(MORE)
    ready.launches.run()
    ready.launches.cancel()
    assert ready.running == [True, False]
    assert [result.outcome for result in ready.results] == [LaunchOutcome.CANCELLED]
    qtbot.waitUntil(lambda: len(ready.specs.form.parameters) == 3, timeout=PATIENCE)
    assert ready.service.launched == []


def test_code_from_before_a_failed_build_is_not_launched(ready, qtbot):
    assert ready.code_problems == []
    ready.write(BROKEN)
    with qtbot.waitSignal(ready.outputs.result_changed, timeout=PATIENCE):
        ready.build_controller.build()
    assert ready.code_problems == [
        "The last build failed, so there is no code of what the editor says."
    ]
    assert {p.severity for p in ready.problems if p.where == "code"} == {Severity.ERROR}
    # As typed: another review must not forget it.
    ready.specs.edit(replace(ready.specs.spec, block="64"))
    assert len(ready.code_problems) == 1
    ready.launches.run()
    assert ready.service.launched == []
    assert ready.results[-1].outcome is LaunchOutcome.REFUSED
    ready.write(ONE)
    ready.build_controller.build()
    qtbot.waitUntil(lambda: not ready.code_problems, timeout=PATIENCE)


def test_another_module_that_cannot_be_built_has_no_kernels(ready, qtbot):
    other = Document("two.cu", CodeKind.CUDA, BROKEN.encode())
    ready.documents.add(other)
    with qtbot.waitSignal(ready.outputs.result_changed, timeout=PATIENCE):
        ready.documents.current = other
    qtbot.waitUntil(lambda: ready.outputs.result is not None, timeout=PATIENCE)
    assert (ready.specs.form, ready.problems) == (None, ())
    ready.launches.run()
    assert ready.service.launched == []
    ready.documents.current = ready.document
    qtbot.waitUntil(lambda: ready.specs.form is not None, timeout=PATIENCE)
    assert ready.code_problems == []


def test_a_launch_that_is_dropped_ends_as_cancelled(ready):
    ready.launches.run()
    ready.service.running.dropped.emit()
    assert ready.running == [True, False]
    assert [(r.outcome, r.kernel) for r in ready.results] == [(LaunchOutcome.CANCELLED, "one")]


def test_a_launch_whose_worker_breaks_ends_with_its_words(ready):
    told = QSignalSpy(ready.launches.broke)
    ready.launches.run()
    ready.service.broke.emit("Of no concern.")
    assert ready.results == []
    fail(ready.service, ready.service.running, "The pipe is gone.")
    assert ready.running == [True, False]
    assert ready.results[0].outcome is LaunchOutcome.CRASHED
    assert "The pipe is gone" in ready.results[0].reason
    assert told.count() == 2


def test_a_run_looks_for_gpus_first(built):
    built.launches.run()
    assert built.service.looked == 1
    assert built.progress == ["looking for GPUs"]
    assert built.service.launched == []
    built.launches.take_devices(ONE_H200)
    assert len(built.service.launched) == 1


def test_without_a_gpu_a_run_is_simulated(built):
    built.launches.run()
    built.launches.take_devices(DeviceList(problem="No driver."))
    ((request,),) = (built.service.launched,)
    assert (request.is_simulated, request.code_kind) == (True, CodeKind.PTX)


@pytest.mark.parametrize("device", [0, SIMULATOR])
def test_a_launch_on_both_is_the_same_build_on_a_gpu_and_in_the_simulator(ready, device):
    ready.launches.choose_device(device)
    ready.specs.edit(replace(ready.specs.spec, both=True))
    ready.launches.run()
    ((request,), (rival,)) = ready.service.launched, ready.service.rivals
    assert (request.device, rival.device) == (device, SIMULATOR if device == 0 else 0)
    assert {request.code_kind, rival.code_kind} == {CodeKind.CUBIN, CodeKind.PTX}
    # The simulator also has the cubin and the texts, to compare its advice with them.
    launches = (each.alone for each in (request, rival))
    first, second = (replace(x, device=0, code=b"", code_kind=CodeKind.PTX) for x in launches)
    assert first == second


def test_a_launch_on_both_needs_a_gpu(built):
    built.launches.take_devices(DeviceList(problem="No driver."))
    built.specs.edit(replace(built.specs.spec, both=True))
    built.launches.run()
    assert built.service.launched == []
    assert "No driver." in built.results[0].reason


@pytest.mark.parametrize("outcome", [LaunchOutcome.CANCELLED, LaunchOutcome.CRASHED])
def test_gpus_that_come_after_the_end_of_a_run_start_nothing(built, outcome):
    built.launches.run()
    if outcome is LaunchOutcome.CANCELLED:
        built.launches.cancel()
    else:
        fail(built.service, built.service.devices, "The process could not be started.")
    assert [result.outcome for result in built.results] == [outcome]
    built.launches.list_devices()
    built.launches.take_devices(ONE_H200)
    assert built.service.launched == []
    assert built.running == [True, False]


def test_why_the_driver_says_nothing_is_a_warning(ready, qtbot):
    qtbot.waitUntil(lambda: bool(ready.service.inspected_for), timeout=PATIENCE)
    why = Diagnostic(Severity.ERROR, "", None, None, "The code is for another GPU.")
    facts = QSignalSpy(ready.launches.facts_changed)
    older = ready.service.inspecting
    ready.launches.take_devices(ONE_H200)
    qtbot.waitUntil(lambda: ready.service.inspecting is not older, timeout=PATIENCE)
    older.finished.emit(why)
    assert ready.code_problems == []
    ready.service.inspecting.finished.emit(why)
    assert ready.code_problems == ["The code is for another GPU."]
    assert {p.severity for p in ready.problems} == {Severity.WARNING}
    ready.service.inspecting.finished.emit(FACTS)
    assert ready.code_problems == []
    assert [facts.at(row) for row in range(facts.count())] == [[None], [FACTS]]


def test_another_gpu_is_remembered(ready, qtbot):
    two = replace(ONE_H200.devices[0], ordinal=1, uuid="GPU-2")
    ready.launches.take_devices(DeviceList("13.0", (*ONE_H200.devices, two)))
    ready.launches.choose_device(1)
    ready.launches.take_devices(DeviceList("13.0", (replace(two, ordinal=0),)))
    assert ready.launches.device == replace(two, ordinal=0)
