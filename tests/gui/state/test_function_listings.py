"""Machine code of a function or of all, printed by the real nvdisasm after a build."""

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.gui.services.build_service import BuildService, Listing
from jitstudio.gui.services.request_queue import close_all
from jitstudio.gui.state.function_listings import FunctionListings
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.side_builds import SideBuilds
from tests.support import cuda, request

PATIENCE = 30_000
TEXT = """\
extern "C" __global__ void one(int* p) { p[threadIdx.x] = 1; }
extern "C" __global__ void two(int* p) { p[threadIdx.x] *= p[0]; }
"""
REQUEST = request(cuda(TEXT), emit="ptx,sass,cubin")


@pytest.fixture
def outputs(qapp, builder):
    outputs = Outputs()
    outputs.show_subject("k")
    result = builder.build(REQUEST)
    text = result.artifact(CodeKind.SASS, "kernel.cu").content.decode()
    listing = Listing(CodeKind.SASS, "kernel.cu", tuple(text.splitlines()))
    outputs.publish("k", result, (listing,), REQUEST)
    return outputs


@pytest.fixture
def side_builds(qapp):
    service = BuildService(yields=True)
    yield SideBuilds(service)
    close_all((service,))


@pytest.fixture
def functions(outputs, side_builds, monkeypatch):
    # However little code there is, one function of it is printed where that will do.
    monkeypatch.setattr("jitstudio.core.kernel_resources.WHOLE_CODE_BYTES", 0)
    service = BuildService()
    yield FunctionListings(outputs, service, side_builds)
    close_all((service,))


def shown(outputs):
    (listing,) = outputs.output(CodeKind.SASS).listings
    return listing


def test_a_function_is_shown_and_then_all_are(functions, outputs, side_builds, qtbot):
    functions.show(shown(outputs), "two")
    qtbot.waitUntil(lambda: shown(outputs).function == "two", timeout=PATIENCE)
    functions.show_all(shown(outputs))
    qtbot.waitUntil(lambda: not shown(outputs).function, timeout=PATIENCE)
    assert side_builds.current is None
    assert any("one" in line for line in shown(outputs).lines)


def test_a_function_chosen_while_all_are_printed_ends_the_side_build(
    functions, outputs, side_builds, qtbot
):
    functions.show_all(shown(outputs))
    assert side_builds.current is not None
    functions.show(shown(outputs), "one")
    qtbot.waitUntil(lambda: shown(outputs).function == "one", timeout=PATIENCE)
    qtbot.waitUntil(lambda: side_builds.current is None, timeout=PATIENCE)
    # What came of it is shown no more.
    assert shown(outputs).function == "one"


def test_what_failed_is_told_unless_nobody_waits_for_it_any_more(
    functions, outputs, side_builds, qtbot
):
    messages = []
    functions.failed.connect(messages.append)
    side_builds._service._builder.close()
    functions.show_all(shown(outputs))
    with qtbot.waitSignal(functions.failed, timeout=PATIENCE):
        pass
    functions.show_all(shown(outputs))
    functions.stop()
    qtbot.waitUntil(lambda: side_builds.current is None, timeout=PATIENCE)
    assert len(messages) == 1
