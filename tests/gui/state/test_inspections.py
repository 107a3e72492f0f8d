"""Machine code that is looked at, read by the real nvdisasm in the background."""

from dataclasses import replace

import pytest

from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.result import Outcome
from jitstudio.gui.analysis_service import AnalysisService
from jitstudio.gui.service import Listing
from jitstudio.gui.serving import close_all
from jitstudio.gui.state.inspections import Inspections
from jitstudio.gui.state.outputs import Outputs
from jitstudio.worker.builder import Builder
from tests.support import cuda, request

PATIENCE = 30_000
TEXT = """\
extern "C" __global__ void one(int* p) { p[threadIdx.x] = 1; }
extern "C" __global__ void two(int* p) { p[threadIdx.x] *= p[0]; }
"""
REQUEST = request(cuda(TEXT), emit="ptx,sass,cubin")


@pytest.fixture(scope="module")
def result():
    builder = Builder(workers=1)
    yield builder.build(REQUEST)
    builder.close()


@pytest.fixture
def outputs(qapp):
    outputs = Outputs()
    outputs.show_subject("k")
    return outputs


@pytest.fixture
def service(qapp):
    service = AnalysisService()
    yield service
    close_all((service,))


@pytest.fixture
def inspections(outputs, service):
    return Inspections(outputs, service)


def listing(result):
    text = result.artifact(CodeKind.SASS, "kernel.cu").content.decode()
    return Listing(CodeKind.SASS, "kernel.cu", tuple(text.splitlines()))


def publish(outputs, result):
    made = listing(result)
    outputs.publish("k", result, (made,), REQUEST)
    return made


def read(inspections, outputs, result, qtbot):
    made = publish(outputs, result)
    with qtbot.waitSignal(inspections.changed, timeout=PATIENCE):
        inspections.want("pane", True)
        inspections.look_at(made)
    return made


def test_nothing_is_read_while_nobody_wants_it(inspections, outputs, service, result):
    inspections.look_at(publish(outputs, result))
    assert inspections.current is None
    assert not inspections.is_reading
    assert service.worker_pid is None


def test_what_is_looked_at_is_read(inspections, outputs, result, qtbot):
    made = read(inspections, outputs, result, qtbot)
    current = inspections.current
    assert current.listing is made
    assert current.result is result
    assert current.request is REQUEST
    assert {function.name for function in current.code.kernels} == {"one", "two"}
    line = next(n for n, text in enumerate(made.lines) if "EXIT" in text)
    spot = current.rows.spot(line)
    assert spot.function[spot.index].opcode == "EXIT"


def test_the_first_kernel_is_looked_at_until_another_one_is(inspections, outputs, result, qtbot):
    read(inspections, outputs, result, qtbot)
    first = inspections.current.code.kernels[0].name
    assert inspections.kernel == first
    assert inspections.function.name == first
    other = ({"one", "two"} - {first}).pop()
    with qtbot.waitSignal(inspections.kernel_changed) as told:
        inspections.set_kernel(other)
    assert told.args == [other]
    with qtbot.assertNotEmitted(inspections.kernel_changed):
        inspections.set_kernel("nobody")
        inspections.set_kernel(other)
    assert inspections.function.name == other


def test_the_kernel_stays_over_a_rebuild_of_the_same_code(inspections, outputs, result, qtbot):
    read(inspections, outputs, result, qtbot)
    other = inspections.current.code.kernels[1].name
    inspections.set_kernel(other)
    again = replace(result, total_ms=1.0)
    made = publish(outputs, again)
    with qtbot.waitSignal(inspections.changed, timeout=PATIENCE):
        inspections.look_at(made)
    if inspections.current is None:
        with qtbot.waitSignal(inspections.changed, timeout=PATIENCE):
            assert inspections.is_reading
    assert inspections.current.listing is made
    assert inspections.kernel == other


def test_a_listing_that_stays_after_a_failed_build_keeps_its_code(
    inspections, outputs, result, qtbot
):
    made = read(inspections, outputs, result, qtbot)
    failed = replace(result, outcome=Outcome.FAILED, artifacts=())
    outputs.publish("k", failed, (), REQUEST)
    inspections.look_at(made)
    assert inspections.current.listing is made


def test_a_listing_without_a_good_build_has_no_code(inspections, outputs, result):
    failed = replace(result, outcome=Outcome.FAILED)
    made = publish(outputs, failed)
    inspections.want("pane", True)
    inspections.look_at(made)
    assert inspections.current is None
    assert not inspections.is_reading


def test_what_cannot_be_read_is_told(inspections, outputs, result, qtbot):
    broken = Artifact(CodeKind.CUBIN, "kernel.cu", b"\x7fELF" + bytes(300))
    rest = tuple(a for a in result.artifacts if a.kind is not CodeKind.CUBIN)
    read(inspections, outputs, replace(result, artifacts=(*rest, broken)), qtbot)
    assert inspections.current is None
    assert inspections.problem.startswith("The machine code of kernel.cubin cannot be read")
    assert not inspections.is_reading
