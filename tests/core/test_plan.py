from dataclasses import replace

import pytest

from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.code import LINKED, CodeKind, Source
from jitstudio.core.diagnostics import Severity
from jitstudio.core.plan import ROUTES, PlanError, Ref, default_emit, plan, with_idle_options
from jitstudio.core.request import Assembler, CudaCompiler, LinkMode
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.core.tools import Tool
from tests.support import cuda, ptx, request

CUDA = cuda("", "a.cu")
IR = Source("b.ll", CodeKind.LLVM_IR, b"")
PTX = ptx("c.ptx", "")
CUBIN = Source("d.cubin", CodeKind.CUBIN, b"")
LTOIR = Source("e.ltoir", CodeKind.LTOIR, b"")
HEADER = Source("f.h", CodeKind.HEADER, b"")
LINES = "-lineinfo"


def outline(*sources, **words):
    """Tool, name and kinds made of each step."""
    return [
        (step.tool, step.name, "+".join(kind.value for kind in step.makes))
        for step in plan(request(*sources, **words))
    ]


def options(tool, *sources, **words):
    (step,) = [step for step in plan(request(*sources, **words)) if step.tool is tool]
    return step.options


def test_ptx_alone_is_compiled_for_the_virtual_machine():
    assert outline(CUDA) == [(Tool.NVRTC, "a.cu", "ptx")]
    assert options(Tool.NVRTC, CUDA) == ("-arch=compute_90", LINES)


def test_one_call_of_nvrtc_makes_ptx_and_cubin():
    assert outline(CUDA, emit="ptx,sass,cubin") == [
        (Tool.NVRTC, "a.cu", "ptx+cubin"),
        (Tool.NVDISASM, "a.cu", "sass"),
    ]
    assert options(Tool.NVRTC, CUDA, emit="ptx,sass") == ("-arch=sm_90", LINES)


def test_ltoir_is_a_compile_of_its_own():
    assert outline(CUDA, emit="ptx,ltoir") == [
        (Tool.NVRTC, "a.cu", "ltoir"),
        (Tool.NVRTC, "a.cu", "ptx"),
    ]


def test_ir_becomes_sass_by_way_of_ptx_and_cubin():
    assert outline(IR, emit="sass") == [
        (Tool.NVVM, "b.ll", "ptx"),
        (Tool.NVJITLINK, "b.ll", "cubin"),
        (Tool.NVDISASM, "b.ll", "sass"),
    ]


def test_each_step_reads_what_an_earlier_one_made():
    for source in (CUDA, IR, PTX, CUBIN, LTOIR):
        known = {Ref(source.kind, source.name)}
        for step in plan(request(source, emit="sass")):
            assert set(step.inputs) <= known
            known |= {Ref(kind, step.name) for kind in step.makes}
        assert Ref(CodeKind.SASS, source.name) in known


def test_kinds_that_cannot_be_made_of_a_module_are_left_out_if_others_can():
    assert outline(PTX, emit="ptx,sass,ltoir") == [
        (Tool.NVJITLINK, "c.ptx", "cubin"),
        (Tool.NVDISASM, "c.ptx", "sass"),
    ]


@pytest.mark.parametrize("kind", [CodeKind.FATBIN, CodeKind.OBJECT, CodeKind.LIBRARY])
def test_a_file_that_holds_code_is_unpacked(kind):
    source = Source("g", kind, b"")
    assert outline(source, emit="ptx,sass,cubin") == [
        (Tool.CUOBJDUMP, "g", "ptx+cubin"),
        (Tool.NVDISASM, "g", "sass"),
    ]
    assert default_emit((source,), LinkMode.NONE) == {CodeKind.SASS}
    # A link takes it as it is.
    assert outline(PTX, source, emit="cubin", link="ptx") == [(Tool.NVJITLINK, LINKED, "cubin")]


def test_ptx_is_asked_of_a_cubin_only_if_it_keeps_some(monkeypatch):
    assert outline(CUBIN, emit="ptx,sass") == [(Tool.NVDISASM, "d.cubin", "sass")]
    monkeypatch.setattr("jitstudio.core.plan.keeps_ptx", lambda content: True)
    assert outline(CUBIN, emit="ptx,sass") == [
        (Tool.NVDISASM, "d.cubin", "sass"),
        (Tool.CUOBJDUMP, "d.cubin", "ptx"),
    ]
    assert default_emit((CUBIN,), LinkMode.NONE) == {CodeKind.SASS}


def test_link_by_ptx_compiles_relocatable_code():
    steps = outline(CUDA, IR, PTX, link="ptx", emit="sass")
    assert steps == [
        (Tool.NVRTC, "a.cu", "ptx"),
        (Tool.NVVM, "b.ll", "ptx"),
        (Tool.NVJITLINK, LINKED, "cubin"),
        (Tool.NVDISASM, LINKED, "sass"),
    ]
    assert "-rdc=true" in options(Tool.NVRTC, CUDA, IR, PTX, link="ptx", emit="sass")


def test_link_by_lto_can_tell_the_linked_ptx_as_well():
    assert outline(CUDA, LTOIR, link="lto", emit="ptx,cubin") == [
        (Tool.NVRTC, "a.cu", "ltoir"),
        (Tool.NVJITLINK, LINKED, "ptx"),
        (Tool.NVJITLINK, LINKED, "cubin"),
    ]
    ptx_step, cubin_step = (
        step for step in plan(request(CUDA, link="lto", emit="ptx,cubin")) if step.name == LINKED
    )
    assert ptx_step.options == ("-arch=sm_90", "-lto", "-ptx", LINES)
    assert cubin_step.options == ("-arch=sm_90", "-lto", LINES)


def test_modules_are_linked_in_their_order():
    steps = plan(request(PTX, CUDA, CUBIN, link="ptx", emit="cubin"))
    names = [ref.name for ref in steps[-1].inputs]
    assert names == ["c.ptx", "a.cu", "d.cubin"]


def test_a_folder_is_searched_for_headers():
    source = Source("a.cu", CodeKind.CUDA, b"", "/src")
    assert options(Tool.NVRTC, source) == ("-arch=compute_90", LINES, "--include-path=/src")


def test_options_of_the_user_come_after_the_target():
    sent = options(Tool.NVRTC, CUDA, options=("-lineinfo", "--bogus"))
    assert sent == ("-arch=compute_90", "-lineinfo", "--bogus")


@pytest.mark.parametrize(
    ("given", "compiler", "linker"),
    [
        ("-lineinfo", LINES, LINES),
        ("--generate-line-info", LINES, LINES),
        ("-G", "-G", "-g"),
        ("--device-debug", "-G", "-g"),
    ],
)
def test_a_line_table_is_not_asked_for_twice_nor_beside_debug_information(given, compiler, linker):
    steps = plan(request(CUDA, emit="cubin", link="ptx", options=(given,)))
    assert [step.options for step in steps] == [
        ("-arch=compute_90", "-rdc=true", compiler),
        ("-arch=sm_90", linker),
    ]


def test_an_option_for_one_tool_leaves_the_line_tables_of_the_others():
    steps = plan(request(CUDA, emit="cubin", link="lto", options=("nvjitlink:-g",)))
    assert [step.options for step in steps] == [
        ("-arch=compute_90", "-dlto", LINES),
        ("-arch=sm_90", "-lto", "-g"),
    ]


@pytest.mark.parametrize("tool", [Tool.NVVM, Tool.NVDISASM])
def test_who_takes_no_line_tables_is_not_asked_for_them(tool):
    assert LINES not in options(tool, IR, emit="sass")


def test_an_unknown_option_goes_to_the_linker_where_nothing_is_compiled():
    alone = options(Tool.NVJITLINK, PTX, emit="cubin", options=("-x",))
    assert alone == ("-arch=sm_90", LINES, "-x")
    with_compiler = options(Tool.NVJITLINK, IR, emit="cubin", options=("-x",))
    assert with_compiler == ("-arch=sm_90", LINES)


@pytest.mark.parametrize(
    ("sources", "emit", "message"),
    [
        ([], "ptx", "There is nothing to build: no module takes part"),
        ([CUDA], "", "Nothing was asked for"),
        ([CUDA, CUDA], "ptx", "Two modules are called 'a.cu'"),
        ([CUBIN], "ptx", "'d.cubin' is a cubin; PTX is not kept in it, as it is where line"),
        ([PTX], "ptx", "'c.ptx' is PTX already"),
        ([HEADER], "ptx", "'f.h' is a header file, which no tool compiles"),
    ],
)
def test_a_senseless_request_is_refused_in_words(sources, emit, message):
    with pytest.raises(PlanError, match=message):
        plan(request(*sources, emit=emit))


@pytest.mark.parametrize(
    ("sources", "link", "kinds"),
    [
        ((CUDA,), LinkMode.NONE, {CodeKind.PTX}),
        ((PTX,), LinkMode.NONE, {CodeKind.SASS}),
        ((CUDA, CUBIN), LinkMode.NONE, {CodeKind.PTX, CodeKind.SASS}),
        ((CUDA, PTX), LinkMode.LTO, {CodeKind.SASS}),
    ],
)
def test_what_is_made_unless_the_user_says(sources, link, kinds):
    assert default_emit(sources, link) == kinds


def test_every_route_starts_where_another_one_or_a_file_ends():
    for (start, _), route in ROUTES.items():
        assert route.out_of is start or (start, route.out_of) in ROUTES


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        (Ref(CodeKind.PTX, "k.ptx"), "k.ptx"),
        (Ref(CodeKind.PTX, "k.cu"), "k.ptx"),
        (Ref(CodeKind.CUBIN, LINKED), "linked.cubin"),
        (Ref(CodeKind.LTOIR, "kernel"), "kernel.ltoir"),
        (Ref(CodeKind.CUBIN, "k.cu@sm_90a"), "k.cubin"),
    ],
)
def test_logs_call_made_code_after_its_module(ref, name):
    assert ref.file_name == name


def test_optix_ir_is_a_compile_of_its_own():
    assert outline(CUDA, emit="optixir,ptx") == [
        (Tool.NVRTC, "a.cu", "optixir"),
        (Tool.NVRTC, "a.cu", "ptx"),
    ]
    assert options(Tool.NVRTC, CUDA, emit="optixir") == (
        "-arch=compute_90",
        "-optix-ir",
        LINES,
    )


def test_linked_ltoir_comes_with_the_cubin():
    assert outline(CUDA, link="lto", emit="ltoir")[-1] == (Tool.NVJITLINK, LINKED, "cubin+ltoir")


def changed(*sources, emit="ptx", link="none", **fields):
    return replace(request(*sources, emit=emit, link=link), **fields)


def test_the_driver_assembles_ptx_where_it_was_chosen():
    wish = changed(PTX, IR, emit="sass", assembler=Assembler.DRIVER, options=("-lineinfo",))
    steps = [(step.tool, step.name) for step in plan(wish)]
    assert steps == [
        (Tool.DRIVER, "c.ptx"),
        (Tool.NVDISASM, "c.ptx"),
        (Tool.NVVM, "b.ll"),
        (Tool.DRIVER, "b.ll"),
        (Tool.NVDISASM, "b.ll"),
    ]
    assert plan(wish)[0].options == ("-arch=sm_90", "-lineinfo")
    assert plan(replace(wish, options=()))[0].options == ("-arch=sm_90", "-lineinfo")
    assert plan(replace(wish, sources=(LTOIR,)))[0].tool is Tool.NVJITLINK


def test_joined_ir_is_one_program_called_after_the_first_module():
    other = Source("other.ll", CodeKind.LLVM_IR, b"")
    (step,) = plan(changed(IR, other, join_ir=True))
    assert (step.name, step.inputs) == (
        "b.ll",
        (Ref(CodeKind.LLVM_IR, "b.ll"), Ref(CodeKind.LLVM_IR, "other.ll")),
    )
    linked = plan(changed(IR, CUDA, other, join_ir=True, link="lto", emit="cubin"))[-1]
    assert [ref.name for ref in linked.inputs] == ["b.ll", "a.cu"]


def test_a_library_must_be_llvm_ir_with_a_name_of_its_own():
    with pytest.raises(PlanError, match=r"The library 'c.ptx' is not LLVM IR"):
        plan(changed(IR, libraries=(PTX,)))
    with pytest.raises(PlanError, match=r"called 'b.ll'\. Rename"):
        plan(changed(IR, libraries=(IR,)))


SM80, SM90 = Arch(80), Arch(90)


def test_a_fatbin_packs_what_is_made_for_each_target():
    steps = plan(changed(CUDA, emit="fatbin,ptx", fat_archs=(SM80, SM90), fat_ptx=(SM90,)))
    assert [(step.tool, step.name, step.options[:1]) for step in steps] == [
        (Tool.NVRTC, "a.cu", ("-arch=compute_90",)),
        (Tool.NVRTC, "a.cu@sm_80", ("-arch=sm_80",)),
        (Tool.NVRTC, "a.cu@sm_90", ("-arch=sm_90",)),
        (Tool.NVRTC, "a.cu@compute_90", ("-arch=compute_90",)),
        (Tool.NVFATBIN, "a.cu", ()),
    ]
    assert steps[-1].inputs == (
        Ref(CodeKind.CUBIN, "a.cu@sm_80"),
        Ref(CodeKind.CUBIN, "a.cu@sm_90"),
        Ref(CodeKind.PTX, "a.cu@compute_90"),
    )


def test_a_fatbin_is_for_the_target_of_the_build_unless_others_are_given():
    packing = plan(changed(IR, emit="fatbin"))
    assert [(step.tool, step.name) for step in packing] == [
        (Tool.NVVM, "b.ll@sm_90"),
        (Tool.NVJITLINK, "b.ll@sm_90"),
        (Tool.NVFATBIN, "b.ll"),
    ]
    assert packing[1].inputs == (Ref(CodeKind.PTX, "b.ll@sm_90"),)


def test_ptx_is_packed_as_it_is():
    packing = plan(changed(PTX, emit="fatbin", fat_archs=(SM80,), fat_ptx=(SM90,)))
    assert packing[-1].inputs == (
        Ref(CodeKind.CUBIN, "c.ptx@sm_80"),
        Ref(CodeKind.PTX, "c.ptx"),
    )


def test_a_link_is_made_for_each_target_of_a_fatbin():
    packing = plan(changed(CUDA, PTX, emit="fatbin", link="ptx", fat_archs=(SM80, SM90)))
    assert [step.name for step in packing] == [
        "a.cu@sm_80",
        "linked@sm_80",
        "a.cu@sm_90",
        "linked@sm_90",
        LINKED,
    ]
    assert packing[1].inputs == (Ref(CodeKind.PTX, "a.cu@sm_80"), Ref(CodeKind.PTX, "c.ptx"))


@pytest.mark.parametrize(
    ("sources", "link", "fields", "message"),
    [
        ((CUBIN,), "none", {}, "fatbin cannot be made from it"),
        ((CUDA,), "ptx", {"fat_ptx": (SM90,)}, "A link by PTX makes machine code only"),
    ],
)
def test_what_cannot_be_packed_is_refused_in_words(sources, link, fields, message):
    with pytest.raises(PlanError, match=message):
        plan(changed(*sources, emit="fatbin", link=link, **fields))


def by_nvcc(*sources, **words):
    return replace(request(*sources, **words), compiler=CudaCompiler.NVCC)


def test_nvcc_compiles_cuda_in_the_place_of_nvrtc_and_nothing_else():
    steps = plan(by_nvcc(CUDA, PTX, emit="sass,ptx", options=("-DN=1,2", "--warning-as-error=x")))
    assert [(step.tool, step.name) for step in steps] == [
        (Tool.NVCC, "a.cu"),
        (Tool.NVDISASM, "a.cu"),
        (Tool.NVJITLINK, "c.ptx"),
        (Tool.NVDISASM, "c.ptx"),
    ]
    assert steps[0].makes == (CodeKind.PTX, CodeKind.CUBIN)
    assert steps[0].options == ("-arch=sm_90", "-cubin", LINES, "-DN=1\\,2", "-Werror=x")
    (first, *_) = plan(by_nvcc(CUDA, link="ptx", emit="cubin"))
    assert first.options == ("-arch=compute_90", "-ptx", "-rdc=true", LINES)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"emit": "ltoir"}, "nvcc is asked for PTX and cubins here, not for LTO-IR"),
        ({"link": "lto", "emit": "cubin"}, "not for LTO-IR. Compile with NVRTC"),
        ({"options": ("--minimal",)}, "no counterpart of '--minimal', an option of NVRTC. Take it"),
        ({"options": ("-ccbin=/x",)}, "Take '-ccbin=/x' out of the options: jitstudio says what"),
    ],
)
def test_what_nvcc_is_not_asked_for_is_refused_in_words(words, message):
    with pytest.raises(PlanError, match=message):
        plan(by_nvcc(CUDA, **words))


def test_nvcc_is_not_given_what_nobody_trusts():
    with pytest.raises(PlanError, match="nvcc starts the host compiler of this machine"):
        plan(replace(by_nvcc(CUDA), confined_to=("/project",)))
    assert plan(replace(by_nvcc(PTX, emit="cubin"), confined_to=("/project",)))


def test_a_module_with_options_of_its_own_takes_those_and_the_link_those_of_the_build():
    plain, own = replace(CUDA, name="plain.cu"), replace(CUDA, name="own.cu", options=("-DN=2",))
    for link in ("none", "ptx", "lto"):
        words = {"emit": "cubin", "link": link, "options": ("-DN=1", "-maxrregcount=32")}
        sent = {step.name: step.options for step in plan(request(plain, own, **words))}
        assert {"-DN=1", "--maxrregcount=32"} <= set(sent["plain.cu"])
        assert "-DN=2" in sent["own.cu"]
        assert not {"-DN=1", "--maxrregcount=32"} & set(sent["own.cu"])
        assert link == "none" or "-maxrregcount=32" in sent[LINKED]
    packed = replace(request(plain, own, emit="fatbin"), options=("-DN=1",))
    assert ["-DN=2" in s.options for s in plan(packed) if s.tool is Tool.NVRTC] == [False, True]


@pytest.mark.parametrize(
    ("words", "fields", "message"),
    [
        (("-arch=sm_90",), {}, "Take '-arch=sm_90' out"),
        (("-load=x",), {}, "loads native code"),
        (("-I/etc",), {"confined_to": ("/p",)}, "not trusted"),
        (("--minimal",), {"compiler": CudaCompiler.NVCC}, "no counterpart of '--minimal'"),
    ],
)
def test_options_of_a_module_are_refused_as_those_of_the_build(words, fields, message):
    # In a row with those of the build, -D would take the first as its value.
    built = request(CUDA, replace(CUDA, name="own.cu", options=words), options=("-D",))
    with pytest.raises(PlanError, match=message):
        plan(replace(built, **fields))


def test_options_of_a_module_that_no_tool_takes_are_told_with_the_module():
    own = replace(CUDA, name="own.cu", options=("-O0",))
    built = replace(request(CUDA, own, emit="ptx"), options=("-DN=1",))
    (warning,) = with_idle_options(built, BuildResult(Outcome.BUILT, DEFAULT_ARCH)).diagnostics
    assert (warning.file, "'-O0'" in warning.message) == ("own.cu", True)


def test_options_of_the_build_are_told_where_each_module_has_its_own():
    own = replace(CUDA, name="own.cu", options=("-lineinfo",))
    built = replace(request(own, emit="ptx"), options=("-DN=1", "-O0"))
    (warning,) = with_idle_options(built, BuildResult(Outcome.BUILT, DEFAULT_ARCH)).diagnostics
    assert (warning.file, "'-O0'" in warning.message) == ("", True)
    both = built.with_options(lambda options: (*options, "-O0"))
    (warning,) = with_idle_options(both, BuildResult(Outcome.BUILT, DEFAULT_ARCH)).diagnostics
    assert warning.file == "own.cu"


@pytest.mark.parametrize(
    ("first", "second", "is_said"),
    [
        (None, None, False),
        (None, ("-opt=0",), True),
        (("-opt=0",), None, True),
        (("-opt=0",), ("-opt=0",), False),
    ],
)
def test_a_joined_module_that_loses_its_options_is_named(first, second, is_said):
    modules = replace(IR, options=first), replace(IR, name="other.ll", options=second)
    built = replace(request(*modules, emit="ptx"), join_ir=True)
    diagnostics = with_idle_options(built, BuildResult(Outcome.BUILT, DEFAULT_ARCH)).diagnostics
    assert [d.file for d in diagnostics] == ["other.ll"] * is_said
    assert told(replace(built, join_ir=False)) == []


FATBIN = Source("d.fatbin", CodeKind.FATBIN, b"")


def told(built):
    """What is told of the options of a build that went well."""
    diagnostics = with_idle_options(built, BuildResult(Outcome.BUILT, DEFAULT_ARCH)).diagnostics
    assert all(diagnostic.severity is Severity.WARNING for diagnostic in diagnostics)
    return [diagnostic.message for diagnostic in diagnostics]


@pytest.mark.parametrize(
    ("source", "emit", "option", "takers"),
    [
        (CUDA, "ptx", "-O0", "nvJitLink"),
        (CUDA, "sass", "nvjitlink:-lineinfo", "nvJitLink"),
        (PTX, "cubin", "nvrtc:--bogus", "NVRTC"),
        (PTX, "cubin", "--print-life-ranges", "nvdisasm"),
        (CUBIN, "sass", "--bogus", "nvJitLink"),
        (CUBIN, "sass", "-lineinfo", "NVRTC and nvJitLink and tileiras"),
    ],
)
def test_an_option_that_reaches_no_tool_is_told_with_those_it_is_for(source, emit, option, takers):
    message = f"No tool of this build takes '{option}': it is for {takers}."
    assert told(request(source, emit=emit, options=(option, option))) == [message]


@pytest.mark.parametrize(
    ("source", "emit", "option"),
    [
        (CUDA, "ptx", "--bogus"),
        (CUDA, "ptx", "-lineinfo"),
        (CUDA, "sass", "--print-life-ranges"),
        (PTX, "cubin", "--bogus"),
        (PTX, "sass", "-O0"),
        (FATBIN, "sass", "-O0"),
    ],
)
def test_an_option_that_reaches_one_tool_is_not_told(source, emit, option):
    assert told(request(source, emit=emit, options=(option,))) == []


def test_the_driver_takes_what_nvjitlink_would():
    built = request(PTX, emit="cubin", options=("-O0",))
    assert told(replace(built, assembler=Assembler.DRIVER)) == []


def test_the_linker_of_a_link_takes_its_options():
    assert told(request(CUDA, PTX, emit="ptx", options=("-O0",))) != []
    assert told(request(CUDA, PTX, emit="cubin", link="ptx", options=("-O0",))) == []


def test_a_build_that_is_refused_tells_of_no_options():
    assert told(request(CUBIN, emit="ltoir", options=("-O0",))) == []


TILE = ("--enable-tile",)


def test_tile_functions_are_a_part_of_their_module():
    assert outline(CUDA, emit="tileir,ptx,sass", options=TILE) == [
        (Tool.NVRTC, "a.cu", "ptx+cubin+tile-bytecode"),
        (Tool.NVDISASM, "a.cu", "sass"),
        (Tool.TILEIRAS, "a.cu@tile", "cubin"),
        (Tool.NVDISASM, "a.cu@tile", "sass"),
        (Tool.CUOBJDUMP, "a.cu@tile", "ptx"),
        (Tool.TILEIRDISASM, "a.cu@tile", "tileir"),
    ]
    for off in ((), ("--enable-tile", "--simt-only")):
        assert outline(CUDA, emit="tileir,ptx", options=off) == [(Tool.NVRTC, "a.cu", "ptx")]


def test_tile_functions_alone_are_the_module():
    assert outline(CUDA, emit="sass", options=("--tile-only",)) == [
        (Tool.NVRTC, "a.cu", "tile-bytecode"),
        (Tool.TILEIRAS, "a.cu", "cubin"),
        (Tool.NVDISASM, "a.cu", "sass"),
    ]


@pytest.mark.parametrize("link", ["ptx", "lto"])
@pytest.mark.parametrize("source", [CUDA, Source("v.tileirbc", CodeKind.TILE_BYTECODE, b"")])
def test_a_link_of_tile_functions_alone_is_refused(source, link):
    with pytest.raises(PlanError, match=f"'{source.name}'. Build without a link"):
        plan(request(source, PTX, emit="sass", link=link, options=("--tile-only",)))


def test_debug_information_switches_the_optimisation_of_tiles_off():
    words = {"emit": "sass", "options": ("--tile-only", "-G")}
    assert options(Tool.TILEIRAS, CUDA, **words) == (
        "--gpu-name=sm_90",
        "--opt-level=0",
        "--device-debug",
    )
