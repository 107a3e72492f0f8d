"""Machine code that is looked at, read by the real nvdisasm in the background."""

from dataclasses import replace

import pytest

from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.result import Outcome
from jitstudio.gui.listing.hints import disassembly_hint, disassembly_sentence, output_hint
from jitstudio.gui.services.analysis_service import AnalysisService
from jitstudio.gui.services.build_service import BuildService, Listing
from jitstudio.gui.services.request_queue import close_all
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.function_listings import FunctionListings
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.side_builds import SideBuilds
from tests.support import cuda, request

PATIENCE = 30_000
NOT_SHOWN = "No SASS is shown yet."
TEXT = """\
extern "C" __global__ void one(int* p) { p[threadIdx.x] = 1; }
extern "C" __global__ void two(int* p) { p[threadIdx.x] *= p[0]; }
"""
REQUEST = request(cuda(TEXT), emit="ptx,sass,cubin")


@pytest.fixture(scope="module")
def result(builder):
    return builder.build(REQUEST)


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
def disassembly(outputs, service):
    builds = BuildService()
    functions = FunctionListings(outputs, builds, SideBuilds(builds))
    yield CurrentDisassembly(outputs, service, functions)
    close_all((builds,))


def listing(result):
    text = result.artifact(CodeKind.SASS, "kernel.cu").content.decode()
    return Listing(CodeKind.SASS, "kernel.cu", tuple(text.splitlines()))


def publish(outputs, result):
    made = listing(result)
    outputs.publish("k", result, (made,), REQUEST)
    return made


def read(disassembly, outputs, result, qtbot):
    made = publish(outputs, result)
    disassembly.want("pane", True)
    disassembly.look_at(made)
    wait(disassembly, qtbot)
    return made


def wait(disassembly, qtbot):
    qtbot.waitUntil(lambda: not disassembly.is_reading, timeout=PATIENCE)


def test_nothing_is_read_while_nobody_wants_it(disassembly, outputs, service, result):
    disassembly.look_at(publish(outputs, result))
    assert disassembly.current is None
    assert not disassembly.is_reading
    assert service.worker_pid is None


def test_a_first_build_that_is_on_its_way_is_no_lack_of_machine_code(disassembly, outputs, qtbot):
    disassembly.want("pane", True)
    assert disassembly_hint(disassembly).startswith(NOT_SHOWN)
    assert "build first" in disassembly_sentence(disassembly)
    with qtbot.waitSignal(disassembly.changed):
        outputs.expect("k")
    assert disassembly_hint(disassembly).startswith("Being built…")
    assert disassembly_sentence(disassembly) == "Being built…"
    assert output_hint(CodeKind.PTX, outputs.output(CodeKind.PTX)) == disassembly_hint(disassembly)
    with qtbot.waitSignal(disassembly.changed):
        outputs.expect(None)
    assert disassembly_hint(disassembly).startswith(NOT_SHOWN)


def test_what_is_looked_at_is_read(disassembly, outputs, result, qtbot):
    made = read(disassembly, outputs, result, qtbot)
    current = disassembly.current
    assert current.listing is made
    assert current.result is result
    assert current.request is REQUEST
    assert {function.name for function in current.code.kernels} == {"one", "two"}
    line = next(n for n, text in enumerate(made.lines) if "EXIT" in text)
    spot = current.rows.spot(line)
    assert spot.function[spot.index].opcode == "EXIT"


def test_the_calls_of_inlined_code_are_those_that_the_ptx_tells(
    disassembly, outputs, builder, qtbot
):
    text = """\
__device__ float twice(float x) { return x * 2.f + 1.f; }
extern "C" __global__ void k(float* p) {
    p[0] = twice(p[1])
        + twice(p[2]);
}
"""
    asked = request(cuda(text), emit="ptx,sass,cubin")
    made = builder.build(asked)
    shown = listing(made)
    outputs.publish("k", made, (shown,), asked)
    disassembly.want("pane", True)
    disassembly.look_at(shown)
    wait(disassembly, qtbot)
    chains = [row.places for row in disassembly.function if row.opcode == "FFMA"]
    assert [[place.line for place in chain] for chain in chains] == [[1, 3], [1, 4]]


def test_the_first_kernel_is_looked_at_until_another_one_is(disassembly, outputs, result, qtbot):
    read(disassembly, outputs, result, qtbot)
    # Machine code has the kernels in another order than the source.
    first = result.kernels[0].name
    assert first != disassembly.current.code.kernels[0].name
    assert disassembly.kernel == first
    assert disassembly.function.name == first
    other = ({"one", "two"} - {first}).pop()
    with qtbot.waitSignal(disassembly.kernel_changed) as told:
        disassembly.set_kernel(other)
    assert told.args == [other]
    with qtbot.assertNotEmitted(disassembly.kernel_changed):
        disassembly.set_kernel("nobody")
        disassembly.set_kernel(other)
    assert disassembly.function.name == other


def test_the_kernel_stays_over_a_rebuild_of_the_same_code(disassembly, outputs, result, qtbot):
    read(disassembly, outputs, result, qtbot)
    other = disassembly.current.code.kernels[1].name
    disassembly.set_kernel(other)
    again = replace(result, total_ms=1.0)
    made = publish(outputs, again)
    disassembly.look_at(made)
    assert disassembly.is_reading
    wait(disassembly, qtbot)
    assert disassembly.current.listing is made
    assert disassembly.kernel == other


def test_a_listing_that_stays_after_a_failed_build_keeps_its_code(
    disassembly, outputs, result, qtbot
):
    made = read(disassembly, outputs, result, qtbot)
    failed = replace(result, outcome=Outcome.FAILED, artifacts=())
    outputs.publish("k", failed, (), REQUEST)
    disassembly.look_at(made)
    assert disassembly.current.listing is made


def test_a_listing_without_a_good_build_has_no_code(disassembly, outputs, result):
    failed = replace(result, outcome=Outcome.FAILED)
    made = publish(outputs, failed)
    disassembly.want("pane", True)
    disassembly.look_at(made)
    assert disassembly.current is None
    assert not disassembly.is_reading


def test_a_build_that_made_nothing_says_why_there_is_nothing_to_read(disassembly, outputs, result):
    heard = []
    disassembly.changed.connect(lambda: heard.append(disassembly_hint(disassembly)))
    missing = replace(result, outcome=Outcome.MISSING, artifacts=())
    outputs.publish("k", missing, (), REQUEST)
    assert heard[-1].startswith(missing.reason)


def test_what_cannot_be_read_is_told(disassembly, outputs, result, qtbot):
    broken = Artifact(CodeKind.CUBIN, "kernel.cu", b"\x7fELF" + bytes(300))
    rest = tuple(a for a in result.artifacts if a.kind is not CodeKind.CUBIN)
    read(disassembly, outputs, replace(result, artifacts=(*rest, broken)), qtbot)
    assert disassembly.current is None
    assert "of kernel.cubin cannot be read: " in disassembly.problem
    assert not disassembly.is_reading


def test_a_listing_of_a_build_that_goes_on_is_not_read_as_that_of_the_build_before(
    disassembly, outputs, result, qtbot
):
    read(disassembly, outputs, result, qtbot)
    newer = listing(result)
    outputs.add("k", (newer,))
    disassembly.look_at(newer)
    assert disassembly.current is None
    assert disassembly.is_reading
    assert disassembly_hint(disassembly) == "Reading the SASS…"
    # The build before could have been read by now: it is known already.
    qtbot.wait(300)
    assert disassembly.current is None
    outputs.publish("k", replace(result, total_ms=2.0), (newer,), REQUEST)
    wait(disassembly, qtbot)
    assert disassembly.current.listing is newer
    assert disassembly.current.result.total_ms == 2.0


def test_who_hears_of_a_change_knows_whether_what_is_shown_may_stay(
    disassembly, outputs, result, qtbot
):
    read(disassembly, outputs, result, qtbot)
    before, heard = disassembly.current, []
    disassembly.changed.connect(
        lambda: heard.append((disassembly.is_reading, disassembly.outgoing))
    )
    # As in the window: a pane shows the listing as soon as there is another output.
    outputs.changed.connect(
        lambda _kind: disassembly.look_at(outputs.output(CodeKind.SASS).listings[0])
    )
    publish(outputs, replace(result, total_ms=1.0))
    assert heard[0] == (True, before)
    wait(disassembly, qtbot)
    assert heard[-1] == (False, None)


def test_what_is_shown_of_another_document_may_not_stay(disassembly, outputs, result, qtbot):
    read(disassembly, outputs, result, qtbot)
    made = listing(result)
    outputs.publish("other", result, (made,), REQUEST)
    outputs.show_subject("other")
    disassembly.look_at(made)
    assert disassembly.is_reading
    assert disassembly.outgoing is None
    wait(disassembly, qtbot)
    assert disassembly.current.listing is made


def test_nothing_stays_once_there_is_nothing_more_to_look_at(disassembly, outputs, result, qtbot):
    read(disassembly, outputs, result, qtbot)
    disassembly.look_at(None)
    assert disassembly.current is None
    assert not disassembly.is_reading
    assert disassembly.outgoing is None
    assert disassembly_hint(disassembly).startswith(NOT_SHOWN)
