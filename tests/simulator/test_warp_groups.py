"""Products of warp groups: a kernel as a user writes it, and what is told of wrong ones.

That the numbers and the bytes that are read are those of an H100: `test_forms`.
"""

import numpy as np
import pytest

from jitstudio.simulator.observers.proxies import AsyncProxy
from jitstudio.simulator.observers.races import RaceDetector
from jitstudio.simulator.running.machine import Machine
from jitstudio.simulator.state.model import FaultKind, SimulationOutcome
from jitstudio.simulator.stepping.history import StepHistory
from tests.simulator.running import kernel_of, launch_of, program_of, run
from tests.support import ROOT

GEMM = ROOT / "tests" / "data" / "simulator" / "warp_group_gemm.cu"
WORDS = (
    *("--arch", "sm_90a", "--device", "sim", "--grid", 1, "--block", 128, "--json"),
    *("--arg", "a=4096:random(1):inout", "--arg", "b=4096:random(2):inout", "--arg", "c=4096:out"),
)


@pytest.mark.tools
@pytest.mark.parametrize(
    ("gone", "kinds", "told"),
    [
        ("", [], ""),
        ("fence.proxy.async.shared::cta;", ["not fenced"], "no fence.proxy.async"),
        ("__syncthreads();", [], ""),
    ],
    ids=["right", "no fence", "no barrier"],
)
def test_a_tile_of_a_gemm_with_a_swizzle(run, tmp_path, gone, kinds, told):
    """What is wrong is told at its line, and nothing of what is right."""
    text = GEMM.read_text()
    assert gone in text
    (tmp_path / "gemm.cu").write_text(text.replace(gone, "", 1))
    ran = run("run", tmp_path / "gemm.cu", *WORDS, "--save", tmp_path / "out")
    simulation = ran.json["simulation"]
    assert [fault["kind"] for fault in simulation["faults"]] == kinds, simulation["faults"]
    assert all(told in fault["message"] for fault in simulation["faults"])
    assert ran.code == (5 if gone else 0), ran.err
    races = {race["kind"] for race in simulation["races"]}
    assert races == ({"read after write"} if gone == "__syncthreads();" else set())
    a, b, c = (np.load(tmp_path / "out" / f"{name}.npy") for name in "abc")
    wanted = a.reshape(64, 64).astype(float) @ b.reshape(64, 64).astype(float).T
    np.testing.assert_allclose(c.reshape(64, 64), wanted, rtol=1e-5, atol=1e-5)
    (name,) = simulation["inexact_functions"]
    assert name.startswith("wgmma.m64n64k16.f16 ")


HEAD_LINES = """.reg .b32 %a<4>, %t, %s; .reg .f32 %d<4>, %x, %y; .reg .b64 %q, %z, %at;
.reg .pred %p;
.shared .align 128 .b8 smem[320];
mov.u32 %t, %tid.x; mov.u32 %s, smem; ld.param.u64 %at, [k_0]; setp.ne.u32 %p, 1, 0;
mad.lo.u32 %s, %t, 2, %s; st.shared.u16 [%s], 15360; mov.u32 %s, smem;
shr.u32 %s, %s, 4; cvt.u64.u32 %q, %s; or.b64 %q, %q, 0x1000080000;
fence.proxy.async; bar.sync 0;
ld.global.u32 %a0, [%at]; ld.global.u32 %a1, [%at]; mov.u32 %a2, 0; mov.u32 %a3, 0;
ld.global.f32 %d0, [%at]; ld.global.f32 %d1, [%at]; ld.global.f32 %d2, [%at];
ld.global.f32 %d3, [%at]; mov.f32 %x, 0f3f800000;
"""
MMA = (
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
    "{%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, %q, %p, 1, 1, 0;"
)
FENCE, COMMIT, WAIT = (
    f"wgmma.{word};"
    for word in ("fence.sync.aligned", "commit_group.sync.aligned", "wait_group.sync.aligned 0")
)
WAIT_BUT_ONE = WAIT.replace(" 0;", " 1;")
STORE = "mad.wide.u32 %z, %t, 4, %at; st.global.f32 [%z], %d0;"
WRITE = "mov.u32 %s, smem; st.shared.u16 [%s], 7;"
ONE_WRITES = WRITE.replace("st.", "setp.eq.u32 %p, %t, 0; @%p st.")


def ran(lines, *, block=128, finishes=False):
    ptx = kernel_of(HEAD_LINES + "\n".join(lines), "u64")
    data = np.full(160, 0.5, np.float32)
    observers = (RaceDetector("k"), AsyncProxy())
    return run(ptx, "k", (1, 1, 1), (block, 1, 1), data, observers=observers, finishes=finishes)


@pytest.mark.parametrize(
    "lines",
    [
        (FENCE, MMA, COMMIT, WAIT, STORE),
        (FENCE, MMA, MMA, COMMIT, WAIT, STORE),
        (FENCE, MMA, COMMIT, MMA, COMMIT, WAIT_BUT_ONE, WAIT, STORE),
        ("add.f32 %d0, %d0, %x;", FENCE, MMA, COMMIT, "add.f32 %x, %x, %x;", WAIT, STORE),
        (FENCE, MMA, COMMIT, "add.u32 %t, %a0, 0; mov.u32 %t, %tid.x;", WAIT, STORE),
        (FENCE, MMA, COMMIT, WAIT, "bar.sync 0;", ONE_WRITES),
        (FENCE, "mov.f32 %d0, %d1;", MMA, COMMIT, "mov.f32 %y, %d0;", WAIT, STORE),
    ],
)  # fmt: skip
def test_what_is_right_is_not_told(lines):
    done = ran(lines)
    assert (done.result.outcome, done.result.faults, done.result.races) == (
        SimulationOutcome.FINISHED, (), (),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "kind", "words"),
    [
        ((FENCE, MMA, COMMIT, STORE), FaultKind.PRODUCT, "reads %d0, a sum of a product"),
        ((FENCE, MMA, WAIT, STORE), FaultKind.PRODUCT, "reads %d0"),
        ((FENCE, MMA, COMMIT, MMA, COMMIT, WAIT_BUT_ONE, STORE), FaultKind.PRODUCT, "reads %d0"),
        ((FENCE, MMA, COMMIT, "add.f32 %d1, %x, %x;", WAIT), FaultKind.PRODUCT, "changes %d1"),
        ((FENCE, MMA, COMMIT, "add.u32 %a1, %a0, 1;", WAIT), FaultKind.PRODUCT,
         "changes %a1, a part of A"),
        ((FENCE, "add.f32 %d1, %x, %x;", MMA, COMMIT, WAIT), FaultKind.NOT_FENCED, "with %d1,"),
        ((FENCE, "add.u32 %a1, %a0, 1;", MMA, COMMIT, WAIT), FaultKind.NOT_FENCED, "with %a1,"),
        ((MMA, COMMIT, WAIT), FaultKind.NOT_FENCED, "without wgmma.fence"),
        ((FENCE, MMA, COMMIT, "bar.sync 0;", WRITE, WAIT), FaultKind.PRODUCT, "may still read"),
        ((WRITE, "bar.sync 0;", FENCE, MMA, COMMIT, WAIT), FaultKind.NOT_FENCED,
         "no fence.proxy.async"),
        (("setp.eq.u32 %p, %t, 5; selp.b64 %q, 0, %q, %p;", FENCE, MMA, COMMIT, WAIT),
         FaultKind.BARRIER, "another matrix descriptor"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(lines, kind, words):
    faults = ran(lines).result.faults
    assert [fault.kind for fault in faults] == [kind], faults
    assert words in faults[0].message


def test_warps_that_are_missing():
    for block in (96, 160):
        done = ran((FENCE, MMA, COMMIT, WAIT), block=block)
        assert "of which not all threads are there" in done.result.message
    one = "setp.lt.u32 %p, %t, 32; @%p bra OUT;", FENCE, MMA, "OUT: bar.sync 0;"
    done = ran(one)
    assert done.result.outcome is SimulationOutcome.DEADLOCKED
    assert "wgmma.mma_async" in done.result.message


def test_a_writer_that_a_message_after_the_wait_lets_go_on():
    """One thread of the warp group says that the matrices were read, as pipelines do it."""
    for before, after in ((WAIT, ""), ("", WAIT)):
        lines = (
            ".shared .align 8 .b64 bar; .reg .b64 %state; .reg .pred %done;",
            "setp.eq.u32 %p, %t, 0; @%p mbarrier.init.shared.b64 [bar], 1; bar.sync 0;",
            "setp.ge.u32 %p, %t, 128; @%p bra WRITER; setp.ne.u32 %p, 1, 0;",
            *(FENCE, MMA, COMMIT, before),
            "setp.eq.u32 %p, %t, 0; @%p mbarrier.arrive.shared.b64 %state, [bar];",
            *(after, "bra OUT;"),
            "WRITER: mbarrier.try_wait.parity.shared.b64 %done, [bar], 0; @!%done bra WRITER;",
            f"setp.eq.u32 %p, %t, 128; @!%p bra OUT; {WRITE}",
            "OUT:",
        )
        done = ran(lines, block=160)
        assert done.result.outcome is SimulationOutcome.FINISHED, done.result.message
        told = [fault.kind for fault in done.result.faults]
        races = [race.kind for race in done.result.races]
        if before:
            assert (told, races) == ([], [])
        else:
            assert (told, races) == ([], ["write after read"])


def test_pending_products_when_stepping_back():
    ptx = kernel_of(HEAD_LINES + "\n".join((FENCE, MMA, COMMIT, STORE, WAIT)), "u64")
    launch = launch_of("k", (1, 1, 1), (128, 1, 1), [np.full(128, 0.5, np.float32)])
    history = StepHistory(lambda: Machine(launch, program_of(ptx)), interval=0)
    history.go_to(10_000)
    (told,) = history.machine.faults
    assert told.kind is FaultKind.PRODUCT
    for step in range(0, history.last_step, 3):
        history.go_to(step)
        history.go_to(10_000)
        assert history.machine.faults == [told]
