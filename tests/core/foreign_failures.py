"""Failures of LLVM IR and PTX as other compilers, other versions and manuals have them."""

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.diagnostics import FixKind as F
from tests.core.failures import CUBIN, OPAQUE, TYPED, Failure, asm, ll
from tests.support import ROOT, request

FOREIGN = ROOT / "tests" / "data" / "foreign"
S100 = {"arch": "sm_100"}


def module(name, **more):
    """A file of another compiler."""
    return request(ll((FOREIGN / name).read_text()), **more)


def changed(old, new, text=OPAQUE, **more):
    """LLVM IR that builds, but for this."""
    assert old in text
    return request(ll(text.replace(old, new)), **(S100 if text is OPAQUE else {}), **more)


def with_line(line, *declared, text=OPAQUE, **more):
    """LLVM IR that builds, but for this instruction."""
    added = "\n".join((text.replace("entry:", f"entry:\n  {line}"), *declared, ""))
    return request(ll(added), **(S100 if text is OPAQUE else {}), **more)


def ptx(line, head=".version 8.7\n.target sm_90\n.address_size 64", **more):
    """PTX of one instruction."""
    registers = (
        ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .pred %p<3>;"
    )
    text = f"{head}\n.visible .entry k() {{\n{registers}\n{line}\nret;\n}}\n"
    return request(Source("k.ptx", CodeKind.PTX, text.encode()), **(CUBIN | more))


OLD = ".version 3.1\n.target sm_30\n.address_size 64"
NARROW = Source("k.ptx", CodeKind.PTX, (FOREIGN / "ocelot.ptx").read_bytes())
FUNCTIONS = Source("k.ptx", CodeKind.PTX, (FOREIGN / "functions.ptx").read_bytes())
BACKWARDS = b".target sm_75\n.version 8.0\n.address_size 64\n.visible .entry k() { ret; }\n"
OLD_NAME = (
    "%w = call i32 @llvm.ptx.read.tid.x()\n  store i32 %w, i32 addrspace(1)* %out",
    "declare i32 @llvm.ptx.read.tid.x()",
)
_MEMSET = "void (i8 addrspace(1)*, i8, i64, i1)* @llvm.memset.p1i8.i64"
_OLD_CALL = (
    f"call void bitcast ({_MEMSET} to void (i8 addrspace(1)*, i8, i64, i32, i1)*)"
    "(i8 addrspace(1)* %b, i8 0, i64 256, i32 8, i1 false)"
)
OLD_MEMSET = (
    f"%b = bitcast i32 addrspace(1)* %out to i8 addrspace(1)*\n  {_OLD_CALL}",
    "declare void @llvm.memset.p1i8.i64(i8 addrspace(1)*, i8, i64, i1)",
)
FOREIGN_FAILURES = (
    Failure("nvvm-crash-of-lines", module("clang_lines.ll", **S100), F.REPLACE_TEXT),
    Failure("llvm-dialect", module("clang21.ll"), F.SET_ARCH),
    Failure("llvm-dialect", module("julia.ll"), F.SET_ARCH),
    Failure("llvm-dialect", module("xla.ll"), F.SET_ARCH),
    Failure("llvm-text-old", module("llvm33.ll")),
    Failure("llvm-text-old", module("llvm33.ll", **S100)),
    Failure("llvm-syntax", changed("store", "stroe")),
    Failure("llvm-syntax", changed("store", "stroe", TYPED)),
    Failure("other-machine", module("amdgpu.ll", **S100)),
    Failure(
        "other-machine",
        request(ll('target triple = "x86_64-pc-linux-gnu"\ndefine void @f() {\n ret void\n}\n')),
    ),
    Failure("attribute-refused", module("rustc.ll", **S100), F.REPLACE_TEXT),
    Failure(
        "attribute-refused",
        request(
            ll("; ssp uwtable\ndefine ptx_kernel void @f() uwtable(sync) {\n ret void\n}"), **S100
        ),
        F.REPLACE_TEXT,
    ),
    Failure(
        "intrinsic-of-mathematics",
        with_line("%s = call float @llvm.sin.f32(float 1.0)", "declare float @llvm.sin.f32(float)"),
    ),
    Failure(
        "intrinsic-unknown",
        with_line("call void @llvm.nvvm.no.such()", "declare void @llvm.nvvm.no.such()"),
    ),
    Failure(
        "intrinsic-of-another-machine",
        with_line(
            "%w = call i32 @llvm.amdgcn.workitem.id.x()\n  store i32 %w, ptr addrspace(1) %out",
            "declare i32 @llvm.amdgcn.workitem.id.x()",
        ),
    ),
    Failure("inline-ptx-at-a-line", with_line('call void asm sideeffect "sfence;", ""()', **CUBIN)),
    Failure("intrinsic-renamed", with_line(*OLD_NAME, text=TYPED)),
    Failure("intrinsic-renamed", with_line(*OLD_NAME)),
    Failure(
        "intrinsic-left",
        with_line(
            "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)",
            "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)",
            text=TYPED,
            **CUBIN,
        ),
        F.SET_ARCH,
    ),
    Failure("memory-intrinsic-of-old", with_line(*OLD_MEMSET, text=TYPED), F.REPLACE_TEXT),
    Failure(
        "intrinsic-through-a-bitcast",
        with_line(
            "%s = call float bitcast (float (float)* @llvm.fabs.f32 to float (i32)*)(i32 1)",
            "declare float @llvm.fabs.f32(float)",
            text=TYPED,
        ),
    ),
    Failure(
        "intrinsic-of-another-type",
        with_line(
            "%s = call double @llvm.nvvm.read.ptx.sreg.laneid()",
            "declare double @llvm.nvvm.read.ptx.sreg.laneid()",
            text=TYPED,
        ),
    ),
    Failure("nvvm-subset", with_line("indirectbr ptr null, [label %on]\non:")),
    Failure("nvvm-subset", with_line("fence seq_cst", text=TYPED)),
    Failure("name-refused", request(ll("@a.b = global i32 0"), **S100)),
    Failure("name-refused", request(ll("define void @f.1() {\n  ret void\n}\n"))),
    Failure(
        "feature-needs-ptx-target", ptx("fma.rn.f16x2 %r1, %r2, %r3, %r4;", OLD), F.REPLACE_TEXT
    ),
    Failure(
        "feature-needs-ptx-version", ptx("fma.rn.f16x2 %r1, %r2, %r3, %r4;", OLD), F.REPLACE_TEXT
    ),
    Failure(
        "feature-needs-a-ptx-version",
        ptx("createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;", "", arch="sm_80"),
        F.INSERT_TEXT,
    ),
    Failure("instruction-needs-a", ptx("wgmma.fence.sync.aligned;"), F.REPLACE_TEXT),
    Failure("instruction-needs-a", ptx("tcgen05.wait::ld.sync.aligned;"), F.REPLACE_TEXT),
    Failure("instruction-needs-a", asm("tcgen05.wait::ld.sync.aligned;", **CUBIN), F.SET_ARCH),
    Failure("instruction-needs-a", asm("setmaxnreg.inc.sync.aligned.u32 32;", **CUBIN), F.SET_ARCH),
    Failure(
        "instruction-not-there",
        asm("wgmma.fence.sync.aligned;tcgen05.wait::ld.sync.aligned;", **CUBIN),
    ),
    Failure("ptx-without-sync", ptx("shfl.bfly.b32 %r1, %r2, 1, 31;")),
    Failure("ptx-without-rounding", ptx("sqrt.f32 %f1, %f2;"), F.REPLACE_TEXT),
    Failure("ptx-without-rounding-of-mad", ptx("mad.f32 %f1, %f2, %f3, %f1;"), F.REPLACE_TEXT),
    Failure(
        "ptx-without-rounding-of-doubles", ptx("div.f64 %fd1, %fd2, %fd3;", OLD), F.REPLACE_TEXT
    ),
    Failure("ptx-without-rounding-of-doubles", ptx("rcp.f64 %fd1, %fd2;", OLD), F.REPLACE_TEXT),
    Failure("ptx-without-rounding-of-cvt", ptx("cvt.u32.f32 %r1, %f1;", OLD)),
    *(
        Failure("ptx-without-approx", ptx(f"{name}.f32 %f1, %f2;", OLD), F.REPLACE_TEXT)
        for name in ("sin", "cos", "ex2", "lg2", "rsqrt")
    ),
    Failure("ptx-without-approx", ptx("rsqrt.ftz.f32 %f1, %f2;", OLD), F.REPLACE_TEXT),
    Failure("ptx-constant-banks", ptx("", f"{OLD}\n.const[1] .u32 c;"), F.REPLACE_TEXT),
    Failure("ptx-textures-of-old", ptx("", f"{OLD}\n.tex .u32 t;"), F.REPLACE_TEXT),
    Failure("ptx-special-register", ptx("mul.lo.u32 %r1, %tid.x, %r2;", OLD)),
    Failure("ptx-target-option", ptx("", OLD.replace("sm_30", "sm_30, debug")), F.REPLACE_TEXT),
    Failure(
        "ptx-target-option", ptx("", OLD.replace("sm_30", "sm_30, map_f64_to_f32")), F.REPLACE_TEXT
    ),
    Failure("narrow-addresses", request(NARROW, **CUBIN), F.SET_ARCH),
    Failure("narrow-addresses-built", request(NARROW, arch="sm_80", **CUBIN)),
    Failure("ptx-head", request(Source("k.ptx", CodeKind.PTX, BACKWARDS), **CUBIN)),
    Failure("lto-to-nothing", request(ll(TYPED), link="lto", **CUBIN)),
    Failure("ptx-functions-only", request(FUNCTIONS, **CUBIN)),
)
