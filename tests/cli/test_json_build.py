"""The keys are a promise: this test may only ever be added to."""

import json

from jitstudio.commands.json_output import build_object, doctor_object
from jitstudio.core.arch import Arch
from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.diagnostics import Diagnostic, Fix, FixKind, Severity
from jitstudio.core.result import (
    BuildResult,
    Crash,
    HostCodeAside,
    Kernel,
    LoweredName,
    Outcome,
    Phase,
    Resources,
    StageResult,
    Supplied,
)
from jitstudio.core.toolchain_info import ArchInfo, ToolchainInfo, ToolInfo
from jitstudio.core.tools import Tool
from jitstudio.system.display import WindowCheck
from tests.devices import ONE_H200

CRASH = Crash(Tool.NVVM, "SIGILL", "libNVVM crashed")
RESULT = BuildResult(
    outcome=Outcome.CRASHED,
    arch=Arch(100),
    stages=(
        StageResult(
            Tool.NVRTC,
            "13.4",
            "k.cu",
            ("-arch=sm_100",),
            True,
            1.23456,
            "log",
            phases=(Phase("front end", 1.0),),
            supplied=(Supplied("k.ll", "target triple", "nvptx64-nvidia-cuda"),),
            host_code=(HostCodeAside("k.cu", ((1, 2), (4, 4)), ((7, "why"),)),),
            stand_ins=("vector",),
        ),
        StageResult(Tool.NVVM, "2.0", "k.ll", (), False, 0.0, stderr="words", crash=CRASH),
    ),
    artifacts=(
        Artifact(CodeKind.PTX, "k.cu", b"// \xc3\xa9"),
        Artifact(CodeKind.CUBIN, "k.cu", b"\x7fELF"),
    ),
    lowered_names=(
        LoweredName("k.cu", "k<int>", "_Z1kIiEvv", "void k<int>()"),
        LoweredName("k.cu", "q", "", "", 'identifier "q" is undefined'),
    ),
    kernels=(Kernel("k.cu", "_Z1kIiEvv", "void k<int>()", Resources(registers=12)),),
    diagnostics=(
        Diagnostic(Severity.WARNING, "", None, None, "no kernel"),
        Diagnostic(
            Severity.WARNING,
            "k.cu",
            3,
            1,
            "unused [#177-D]",
            Tool.NVRTC,
            "177-D",
            "Nobody reads it.",
            Fix("Drop it", FixKind.REPLACE_TEXT, "", "k.cu", 3, "int x;"),
        ),
    ),
    crash=CRASH,
    total_ms=7.0006,
)


def test_keys_and_values_of_a_build():
    told = build_object(RESULT)
    crash = {"tool": "libNVVM", "signal": "SIGILL", "message": "libNVVM crashed"}
    assert told == {
        "ok": False,
        "outcome": "crashed",
        "arch": "sm_100",
        "stages": [
            {
                "tool": "NVRTC",
                "version": "13.4",
                "source": "k.cu",
                "options": ["-arch=sm_100"],
                "ok": True,
                "ms": 1.235,
                "log": "log",
                "error_log": "",
                "stdout": "",
                "stderr": "",
                "crash": None,
                "cached": False,
                "phases": [{"name": "front end", "ms": 1.0}],
                "supplied": [
                    {
                        "module": "k.ll",
                        "what": "target triple",
                        "value": "nvptx64-nvidia-cuda",
                        "instead_of": "",
                    }
                ],
                "host_code": [
                    {
                        "name": "k.cu",
                        "lines": 3,
                        "ranges": [[1, 2], [4, 4]],
                        "doubts": [{"line": 7, "reason": "why"}],
                    }
                ],
                "stand_ins": ["vector"],
            },
            {
                "tool": "libNVVM",
                "version": "2.0",
                "source": "k.ll",
                "options": [],
                "ok": False,
                "ms": 0.0,
                "log": "",
                "error_log": "",
                "stdout": "",
                "stderr": "words",
                "crash": crash,
                "cached": False,
                "phases": [],
                "supplied": [],
                "host_code": [],
                "stand_ins": [],
            },
        ],
        "artifacts": [
            {"kind": "ptx", "name": "k.cu", "bytes": 5, "text": "// é"},
            {"kind": "cubin", "name": "k.cu", "bytes": 4},
        ],
        "lowered_names": [
            {
                "source": "k.cu",
                "expression": "k<int>",
                "lowered": "_Z1kIiEvv",
                "demangled": "void k<int>()",
                "error": None,
            },
            {
                "source": "k.cu",
                "expression": "q",
                "lowered": None,
                "demangled": None,
                "error": 'identifier "q" is undefined',
            },
        ],
        "kernels": [
            {
                "module": "k.cu",
                "name": "_Z1kIiEvv",
                "demangled": "void k<int>()",
                "registers": 12,
                "spill_stores": None,
                "spill_loads": None,
                "stack_bytes": None,
                "shared_bytes": None,
                "constant_bytes": None,
                "local_bytes": None,
                "barriers": None,
                "max_threads": None,
            }
        ],
        "diagnostics": [
            {
                "severity": "warning",
                "tool": None,
                "file": None,
                "line": None,
                "column": None,
                "message": "no kernel",
                "number": None,
                "explanation": "",
                "fix": None,
            },
            {
                "severity": "warning",
                "tool": "NVRTC",
                "file": "k.cu",
                "line": 3,
                "column": 1,
                "message": "unused [#177-D]",
                "number": "177-D",
                "explanation": "Nobody reads it.",
                "fix": {
                    "label": "Drop it",
                    "kind": "replace-text",
                    "value": "",
                    "file": "k.cu",
                    "line": 3,
                    "replaces": "int x;",
                },
            },
        ],
        "crash": crash,
        "inlined": None,
    }


def test_repeated_builds_add_their_times():
    (run,) = build_object(RESULT, [RESULT])["runs"]
    assert run == {"ok": False, "total_ms": 7.001, "tool_ms": 1.235}


def test_keys_and_values_of_the_toolchain():
    info = ToolchainInfo(
        tools=(
            ToolInfo(
                Tool.NVRTC, "13.4", "/lib/libnvrtc.so", "site-packages", "nvidia-cuda-nvrtc 1"
            ),
            ToolInfo(Tool.NVVM, problem="libNVVM cannot be loaded"),
        ),
        archs=(ArchInfo(Arch(90), 7), ArchInfo(Arch(100), None)),
        driver=ONE_H200,
    )
    window = WindowCheck("No display.", ("libGL.so.1",), ("libgl1",))
    assert doctor_object(info, window, "It is none.") == {
        "tools": [
            {
                "tool": "NVRTC",
                "version": "13.4",
                "package": "nvidia-cuda-nvrtc 1",
                "path": "/lib/libnvrtc.so",
                "found_via": "site-packages",
                "problem": None,
            },
            {
                "tool": "libNVVM",
                "version": None,
                "package": None,
                "path": None,
                "found_via": None,
                "problem": "libNVVM cannot be loaded",
            },
        ],
        "archs": [{"arch": "sm_90", "llvm": 7}, {"arch": "sm_100", "llvm": None}],
        "driver": {
            "cuda_version": "13.0",
            "problem": None,
            "devices": [
                {
                    "ordinal": 0,
                    "name": "NVIDIA H200",
                    "compute_capability": "9.0",
                    "memory_bytes": 150_110_011_392,
                }
            ],
        },
        "sandbox": None,
        "python": {"path": None, "version": None, "packages": {}, "problem": "It is none."},
        "window": {
            "problem": "No display.",
            "missing": ["libGL.so.1"],
            "remedy": "apt-get install -y libgl1",
        },
        "toolchains": [],
    }


def test_both_objects_are_json():
    bare = ToolchainInfo((), ())
    for told in (build_object(RESULT, [RESULT]), doctor_object(bare, WindowCheck(), "It is none.")):
        assert json.loads(json.dumps(told)) == told
