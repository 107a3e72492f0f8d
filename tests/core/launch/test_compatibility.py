import struct
from dataclasses import replace

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.launch.limits import (
    _dotted,
    code_problems,
    newest_ptx,
    target_of,
)
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.result import LaunchOutcome, unlaunched
from tests.devices import H200


def gpu(capability):
    return replace(H200, name=f"GPU {capability}", capability=capability)


def cubin(number, name="k.cu", abi=8, machine=190):
    head = b"\x7fELF\x02\x01\x01\x41" + bytes([abi]) + bytes(7) + struct.pack("<HH", 2, machine)
    flags = number << 8 | 0x0600_0004 if abi == 8 else number | number << 16
    return Artifact(
        CodeKind.CUBIN, name, head.ljust(48, b"\0") + struct.pack("<I", flags).ljust(16)
    )


def ptx(version="8.0", target="sm_90"):
    text = f"// .version 1.0\n//\n\n.version {version}\n.target {target}, debug\n.address_size 64\n"
    return Artifact(CodeKind.PTX, "k.cu", text.encode())


@pytest.mark.parametrize(
    ("target", "capability", "cubin_runs", "ptx_assembles"),
    [
        ("sm_90", "9.0", True, True),
        ("sm_80", "8.6", True, True),
        ("sm_86", "8.0", False, False),
        ("sm_80", "9.0", False, True),
        ("sm_90", "8.9", False, False),
        ("sm_90", "10.0", False, True),
        ("sm_90a", "9.0", True, True),
        ("sm_90a", "10.0", False, False),
        ("sm_100", "10.3", True, True),
        ("sm_100a", "10.0", True, True),
        ("sm_100a", "10.3", False, False),
        ("sm_100f", "10.0", True, True),
        ("sm_100f", "10.3", True, True),
        ("sm_103f", "10.0", False, False),
        ("sm_100f", "12.0", False, False),
        ("sm_120", "12.1", True, True),
        ("sm_121", "12.0", False, False),
    ],
)
def test_which_gpu_takes_which_target(target, capability, cubin_runs, ptx_assembles):
    arch, device = Arch.parse(target), gpu(capability)
    assert (arch.runs_on(device.number), arch.assembles_for(device.number)) == (
        cubin_runs,
        ptx_assembles,
    )
    told = code_problems(cubin(arch.number), device, "13.0", arch)
    assert bool(told) is not cubin_runs
    assert bool(code_problems(ptx(target=target), device, "13.0")) is not ptx_assembles


def test_a_cubin_for_another_gpu_is_told_with_the_remedy():
    (problem,) = code_problems(cubin(100), H200, "13.0")
    assert problem.where == "code"
    assert problem.message == (
        "NVIDIA H200 is sm_90, and this is a cubin for sm_100, which runs on the same major "
        "compute capability only, at least its minor one."
    )
    assert problem.remedy == "Build for sm_90, or choose another GPU."


def test_the_suffix_comes_from_the_build():
    device = gpu("10.3")
    assert code_problems(cubin(100), device, "13.0") == ()
    (problem,) = code_problems(cubin(100), device, "13.0", Arch(100, "a"))
    assert "a cubin for sm_100a, which runs on exactly that GPU architecture" in problem.message


def test_a_cubin_knows_better_than_the_build_what_it_is_for():
    assert code_problems(cubin(90), H200, "13.0", Arch(100)) == ()


def test_ptx_for_a_newer_gpu_is_told():
    (problem,) = code_problems(ptx(target="sm_100"), H200, "13.0")
    assert "PTX for sm_100, which can be assembled for newer GPUs only" in problem.message


@pytest.mark.parametrize(
    ("version", "driver", "words"),
    [
        ("9.4", "13.0", "This is PTX 9.4, and the driver for CUDA 13.0 takes PTX up to 9.0."),
        ("8.7", "12.4", "This is PTX 8.7, and the driver for CUDA 12.4 takes PTX up to 8.4."),
        ("8.6", "12.6", "takes PTX up to 8.5."),
        ("9.0", "12.9", "takes PTX up to 8.8."),
    ],
)
def test_ptx_that_is_too_new_for_the_driver_is_told(version, driver, words):
    (problem,) = code_problems(ptx(version), H200, driver)
    assert words in problem.message
    assert problem.remedy.startswith("Launch the cubin instead")


@pytest.mark.parametrize(
    ("version", "driver", "update"),
    [
        ("9.4", "13.0", "one for CUDA 13.4"),
        ("8.6", "12.4", "one for CUDA 12.7"),
        ("9.9", "13.4", "a newer one"),
    ],
)
def test_the_driver_to_update_to_is_named(version, driver, update):
    (problem,) = code_problems(ptx(version), H200, driver)
    assert problem.remedy.endswith(f"update the driver to {update}.")


@pytest.mark.parametrize(
    ("version", "driver"),
    [("9.4", "13.4"), ("7.0", "13.0"), ("8.5", "12.5"), ("9.9", "14.0"), ("9.9", "")],
)
def test_nothing_is_said_of_ptx_that_the_driver_takes_or_may_take(version, driver):
    assert code_problems(ptx(version), H200, driver) == ()


@pytest.mark.parametrize(
    ("cuda", "newest"),
    [
        ("11.0", "7.0"),
        ("11.8", "7.8"),
        ("12.0", "8.0"),
        ("12.5", "8.5"),
        ("12.6", "8.5"),
        ("12.7", "8.6"),
        ("12.8", "8.7"),
        ("12.9", "8.8"),
        ("13.0", "9.0"),
        ("13.4", "9.4"),
        ("13.5", "9.5"),
        ("10.2", ""),
        ("14.0", ""),
        ("", ""),
    ],
)
def test_the_newest_ptx_of_a_driver(cuda, newest):
    found = newest_ptx(cuda)
    assert (_dotted(found) if found else "") == newest


@pytest.mark.parametrize(
    ("code", "target"),
    [
        (cubin(90), Arch(90)),
        (cubin(121), Arch(121)),
        (cubin(75, abi=7), Arch(75)),
        (cubin(90, name="k.cu@sm_90a"), Arch(90, "a")),
        (cubin(90, abi=9), None),
        (cubin(90, machine=62), None),
        (Artifact(CodeKind.CUBIN, "k.cu", b"no ELF"), None),
        (ptx(target="sm_100f"), Arch(100, "f")),
        (Artifact(CodeKind.PTX, "k.cu", b""), None),
    ],
)
def test_code_tells_what_it_was_built_for(code, target):
    assert target_of(code) == target


def test_nothing_is_said_of_code_that_tells_nothing():
    for code in (
        Artifact(CodeKind.CUBIN, "k.cu", b"no ELF"),
        Artifact(CodeKind.PTX, "k.cu", b""),
        Artifact(CodeKind.FATBIN, "k.cu", b"P"),
    ):
        assert code_problems(code, H200, "13.0") == ()


def test_a_launch_that_was_refused_by_its_target_says_that_no_gpu_runs_the_code():
    problems = code_problems(cubin(80), gpu("9.0"), "13.0")
    refused = unlaunched("k", LaunchOutcome.REFUSED, problems)
    assert refused.gpu_problem == problems[0].message
    assert not unlaunched("k", LaunchOutcome.REFUSED, [SpecProblem("grid", "0", "")]).gpu_problem
    assert unlaunched("k", LaunchOutcome.MISSING, ()).gpu_problem
