"""Results as the tools of CUDA 13 give them, for the tests of models and panels."""

from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED, Artifact, CodeKind
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.result import BuildResult, Crash, Kernel, LoweredName, Outcome, StageResult
from jitstudio.core.tools import Tool
from jitstudio.gui.features.link.model import ModuleRow

UNDEFINED = Diagnostic(
    Severity.ERROR, "saxpy.cu", 12, 17, 'identifier "blockIdxx" is undefined', Tool.NVRTC
)
UNUSED = Diagnostic(
    Severity.WARNING,
    "saxpy.cu",
    9,
    9,
    'variable "unused" was declared but never referenced [#177-D]',
    Tool.NVRTC,
)
REMARK = Diagnostic(
    Severity.INFO, "atomic_ops.cuh", 120, None, "The warnings can be suppressed", Tool.NVRTC
)
PLACELESS = Diagnostic(Severity.ERROR, "", None, None, "No module takes part.\nOpen one.")
DIAGNOSTICS = (UNDEFINED, UNUSED, REMARK, PLACELESS)

COMPILED = StageResult(
    Tool.NVRTC,
    "13.4",
    "saxpy.cu",
    ("-arch=sm_90", "--include-path=/home/me/my project", '-DNAME="value"'),
    True,
    182.43,
)
WARNED = StageResult(
    Tool.NVRTC,
    "13.4",
    "user_transform.cu",
    ("-arch=compute_90", "-dlto"),
    True,
    90.1,
    log='user_transform.cu(3): warning #177-D: variable "x" was declared but never referenced\n',
)
LINKED_STAGE = StageResult(
    Tool.NVJITLINK,
    "13.4",
    LINKED,
    ("-arch=sm_90", "-lto"),
    True,
    1012.4,
    log="ptxas info    : 0 bytes gmem\n",
    stderr="warning: two definitions of twice\n",
)
DISASSEMBLED = StageResult(Tool.NVDISASM, "13.4", LINKED, ("-c",), True, 32.0)
FAILED = StageResult(
    Tool.NVRTC,
    "13.4",
    "saxpy.cu",
    ("-arch=sm_90",),
    False,
    12.0,
    error_log='saxpy.cu(12): error: identifier "blockIdxx" is undefined\n',
)
CRASHED = StageResult(
    Tool.NVVM,
    "13.4",
    "kernel.ll",
    ("-arch=compute_100",),
    False,
    0.0,
    stderr="LLVM ERROR: Cannot select\n",
    crash=Crash(Tool.NVVM, "SIGILL", "libNVVM executed an illegal instruction."),
)

SAXPY = LoweredName(
    "saxpy.cu",
    "saxpy<float>",
    "_Z5saxpyIfEviT_PKS0_PS0_",
    "void saxpy<float>(int, float, float const*, float*)",
)
REFUSED_NAME = LoweredName(
    "saxpy.cu", "saxpy<nothing>", "", "", 'identifier "nothing" is undefined'
)
SAXPY_KERNEL = Kernel("saxpy.cu", SAXPY.lowered, SAXPY.demangled)
PLAIN_KERNEL = Kernel("saxpy.cu", "vector_add", "vector_add")

APPLY = ModuleRow(1 << 40, "apply_transform.cu", CodeKind.CUDA, True)
USER = ModuleRow((1 << 40) + 1, "user_transform.cu", CodeKind.CUDA, True)
SCALE = ModuleRow((1 << 40) + 2, "scale.ptx", CodeKind.PTX, False)
MODULES = (APPLY, USER, SCALE)

LINK_RESULT = BuildResult(
    Outcome.BUILT,
    Arch(90),
    (COMPILED, WARNED, LINKED_STAGE, DISASSEMBLED),
    (
        Artifact(CodeKind.CUBIN, LINKED, b"\x7fELF" * 1184),
        Artifact(CodeKind.SASS, LINKED, b"apply:\n"),
    ),
    kernels=(Kernel(LINKED, "apply", "apply"),),
)
