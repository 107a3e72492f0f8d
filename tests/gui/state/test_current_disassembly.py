"""Machine code that is looked at, read by the real nvdisasm in the background."""

from dataclasses import replace

import pytest

from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.result import Outcome
from jitstudio.gui.services.analysis_service import AnalysisService
from jitstudio.gui.services.build_service import Listing
from jitstudio.gui.services.request_queue import close_all
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
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
    return CurrentDisassembly(outputs, service)


def listing(result):
    text = result.artifact(CodeKind.SASS, "kernel.cu").content.decode()
    return Listing(CodeKind.SASS, "kernel.cu", tuple(text.splitlines()))


def publish(outputs, result):
    made = listing(result)
    outputs.publish("k", result, (made,), REQUEST)
    return made


def read(inspections, outputs, result, qtbot):
    made = publish(outputs, result)
    inspections.want("pane", True)
    inspections.look_at(made)
    wait(inspections, qtbot)
    return made


def wait(inspections, qtbot):
    qtbot.waitUntil(lambda: not inspections.is_reading, timeout=PATIENCE)


def test_nothing_is_read_while_nobody_wants_it(inspections, outputs, service, result):
    inspections.look_at(publish(outputs, result))
    assert inspections.current is None
    assert not inspections.is_reading
    assert service.worker_pid is None


def test_a_first_build_that_is_on_its_way_is_no_lack_of_machine_code(inspections, outputs, qtbot):
    inspections.want("pane", True)
    assert inspections.words.startswith("No machine code is shown yet.")
    assert "build first" in inspections.sentence
    with qtbot.waitSignal(inspections.changed):
        outputs.expect("k")
    assert inspections.words.startswith("Being built…")
    assert inspections.sentence == "Being built…"
    assert outputs.output(CodeKind.PTX).hint == inspections.words
    with qtbot.waitSignal(inspections.changed):
        outputs.expect(None)
    assert inspections.words.startswith("No machine code is shown yet.")


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


def test_the_calls_of_inlined_code_are_those_that_the_ptx_tells(inspections, outputs, qtbot):
    text = """\
__device__ float twice(float x) { return x * 2.f + 1.f; }
extern "C" __global__ void k(float* p) {
    p[0] = twice(p[1])
        + twice(p[2]);
}
"""
    builder = Builder(workers=1)
    asked = request(cuda(text), emit="ptx,sass,cubin")
    made = builder.build(asked)
    builder.close()
    shown = listing(made)
    outputs.publish("k", made, (shown,), asked)
    inspections.want("pane", True)
    inspections.look_at(shown)
    wait(inspections, qtbot)
    chains = [row.places for row in inspections.function if row.opcode == "FFMA"]
    assert [[place.line for place in chain] for chain in chains] == [[1, 3], [1, 4]]


def test_the_first_kernel_is_looked_at_until_another_one_is(inspections, outputs, result, qtbot):
    read(inspections, outputs, result, qtbot)
    # Machine code has the kernels in another order than the source.
    first = result.kernels[0].name
    assert first != inspections.current.code.kernels[0].name
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
    inspections.look_at(made)
    assert inspections.is_reading
    wait(inspections, qtbot)
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


def test_a_build_that_made_nothing_says_why_there_is_nothing_to_read(inspections, outputs, result):
    heard = []
    inspections.changed.connect(lambda: heard.append(inspections.words))
    missing = replace(result, outcome=Outcome.MISSING, artifacts=())
    outputs.publish("k", missing, (), REQUEST)
    assert heard[-1].startswith(missing.reason)


def test_what_cannot_be_read_is_told(inspections, outputs, result, qtbot):
    broken = Artifact(CodeKind.CUBIN, "kernel.cu", b"\x7fELF" + bytes(300))
    rest = tuple(a for a in result.artifacts if a.kind is not CodeKind.CUBIN)
    read(inspections, outputs, replace(result, artifacts=(*rest, broken)), qtbot)
    assert inspections.current is None
    assert inspections.problem.startswith("The machine code of kernel.cubin cannot be read")
    assert not inspections.is_reading


def test_a_listing_of_a_build_that_goes_on_is_not_read_as_that_of_the_build_before(
    inspections, outputs, result, qtbot
):
    read(inspections, outputs, result, qtbot)
    newer = listing(result)
    outputs.add("k", (newer,))
    inspections.look_at(newer)
    assert inspections.current is None
    assert inspections.is_reading
    assert inspections.words == "Reading the machine code…"
    # The build before could have been read by now: it is known already.
    qtbot.wait(300)
    assert inspections.current is None
    outputs.publish("k", replace(result, total_ms=2.0), (newer,), REQUEST)
    wait(inspections, qtbot)
    assert inspections.current.listing is newer
    assert inspections.current.result.total_ms == 2.0


def test_who_hears_of_a_change_knows_whether_what_is_shown_may_stay(
    inspections, outputs, result, qtbot
):
    read(inspections, outputs, result, qtbot)
    before, heard = inspections.current, []
    inspections.changed.connect(
        lambda: heard.append((inspections.is_reading, inspections.outgoing))
    )
    # As in the window: a pane shows the listing as soon as there is another output.
    outputs.changed.connect(
        lambda _kind: inspections.look_at(outputs.output(CodeKind.SASS).listings[0])
    )
    publish(outputs, replace(result, total_ms=1.0))
    assert heard[0] == (True, before)
    wait(inspections, qtbot)
    assert heard[-1] == (False, None)


def test_what_is_shown_of_another_document_may_not_stay(inspections, outputs, result, qtbot):
    read(inspections, outputs, result, qtbot)
    made = listing(result)
    outputs.publish("other", result, (made,), REQUEST)
    outputs.show_subject("other")
    inspections.look_at(made)
    assert inspections.is_reading
    assert inspections.outgoing is None
    wait(inspections, qtbot)
    assert inspections.current.listing is made


def test_nothing_stays_once_there_is_nothing_more_to_look_at(inspections, outputs, result, qtbot):
    read(inspections, outputs, result, qtbot)
    inspections.look_at(None)
    assert inspections.current is None
    assert not inspections.is_reading
    assert inspections.outgoing is None
    assert inspections.words.startswith("No machine code is shown yet.")
