"""Every row of the table of options against the real tools."""

import os
import re
from dataclasses import replace

import pytest

from jitstudio.core.options import OPTIONS, OptionEffect, ValueKind
from jitstudio.core.options.parsing import refusal
from jitstudio.core.plan import plan
from jitstudio.core.result import Outcome
from jitstudio.core.tools import TILE_TOOLS, Tool
from jitstudio.worker.builder import Builder
from tests.support import KERNEL, cuda, ptx, request, sample
from tests.tile_kernels import NEEDS_TILE

TILE_KERNEL = "__tile_global__ void k(int* p) {}\n"
REQUESTS = {
    Tool.NVRTC: lambda o: request(cuda(KERNEL), arch="sm_100", options=o),
    Tool.NVVM: lambda o: request(sample("fill_opaque.ll"), arch="sm_100", options=o),
    Tool.NVJITLINK: lambda o: request(
        ptx("k.ptx", ".visible .entry k() { ret; }"), emit="cubin", link="ptx", options=o
    ),
    Tool.NVDISASM: lambda o: request(cuda(KERNEL), emit="sass", options=o),
    Tool.NVFATBIN: lambda o: request(cuda(KERNEL), emit="fatbin", options=o),
    Tool.TILEIRAS: lambda o: request(cuda(TILE_KERNEL), emit="cubin", options=("--tile-only", *o)),
    Tool.TILEIRDISASM: lambda o: request(
        cuda(TILE_KERNEL), emit="tileir", options=("--tile-only", *o)
    ),
}
NOT_HARMLESS = {"trace", "headers"}
NEEDED = {"--numba-debug": ("-G",)}
MAKES_NOTHING = {"--fdevice-syntax-only", "-32"}
REJECTED = re.compile(
    "unrecognized option|Unknown option|unsupported option|refused one of the options|"
    "UNRECOGNIZED_OPTION|is not known to|expects|invalid value|invalid argument|"
    "Unknown command line argument"
)


def samples(spec):
    """The options to try for a row."""
    match spec.value.kind:
        case ValueKind.FLAG:
            return [None]
        case ValueKind.CHOICE:
            return spec.value.choices
        case ValueKind.TRUTH:
            return ["true", "false"]
        case ValueKind.NUMBER:
            return [str(spec.value.low), str(spec.value.high), spec.value.example]
    return [spec.value.example]


CASES = [
    pytest.param(
        spec,
        tool,
        value,
        id=f"{tool.value} {spec.written(value)}",
        marks=NEEDS_TILE if tool in TILE_TOOLS else (),
    )
    for spec in OPTIONS
    if not spec.managed
    for tool in spec.spellings
    for value in samples(spec)
]


@pytest.fixture(scope="module")
def worker(tmp_path_factory):
    """One worker for all rows, in a folder of its own: some options write files."""
    before = os.getcwd()
    folder = tmp_path_factory.mktemp("options")
    (folder / "settings.h").touch()
    os.chdir(folder)
    builder = Builder()
    yield builder
    builder.close()
    os.chdir(before)


def stage_of(result, tool):
    return next(stage for stage in result.stages if stage.tool is tool)


@pytest.mark.parametrize(("spec", "tool", "value"), CASES)
def test_the_tool_takes_the_option(worker, spec, tool, value):
    options = (spec.written(value), *NEEDED.get(spec.flag, ()))
    before = set(os.listdir())
    result = worker.build(REQUESTS[tool](options))
    if set(os.listdir()) - before:
        assert spec.effect is OptionEffect.WRITES
    stage = stage_of(result, tool)
    if spec.too_new_for(tool, stage.version):
        pytest.skip(f"{tool.value} {stage.version} does not know it yet")
    assert spec.sent(tool, value) in stage.options
    assert not REJECTED.search(stage.log + stage.error_log), stage.error_log
    assert stage.ok or spec.flag in MAKES_NOTHING, stage.error_log


def test_a_project_that_is_not_trusted_sends_it_if_it_does_no_harm(worker):
    folder, before = os.getcwd(), set(os.listdir())
    for spec, tool, value in (case.values for case in CASES):
        options = (spec.written(value), *NEEDED.get(spec.flag, ()))
        wanted = replace(REQUESTS[tool](options), confined_to=(folder,), folder=folder)
        if spec.effect in (OptionEffect.WRITES, OptionEffect.RUNS) and value in NOT_HARMLESS:
            assert worker.build(wanted).outcome is Outcome.REFUSED, (spec, tool, value)
        else:
            # A build is as good as another: that it takes the option is tested above.
            assert plan(wanted), (spec, tool, value)
    assert set(os.listdir()) == before


@pytest.mark.parametrize(
    "tool",
    [pytest.param(t, marks=NEEDS_TILE if t in TILE_TOOLS else ()) for t in REQUESTS],
)
def test_an_option_that_no_tool_has_is_rejected_with_the_options_sent(worker, tool):
    result = worker.build(REQUESTS[tool]((f"{tool.value}:--bogus",)))
    stage = stage_of(result, tool)
    assert result.outcome is Outcome.FAILED
    assert REJECTED.search(stage.error_log), stage.error_log
    assert "--bogus" in stage.options


@pytest.mark.parametrize("spec", [s for s in OPTIONS if s.managed], ids=lambda s: s.name)
def test_what_jitstudio_sends_itself_is_refused_in_words(worker, spec):
    written = spec.written(spec.value.example or None)
    result = worker.build(REQUESTS[Tool.NVRTC]((written,)))
    assert result.outcome is Outcome.REFUSED
    assert result.stages == ()
    assert result.diagnostics[0].message == refusal([written])
