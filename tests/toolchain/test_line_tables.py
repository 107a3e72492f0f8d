"""Line tables are always made, and change no code: ours against what the bare libraries make."""

from dataclasses import replace

import pytest
from cuda.bindings import nvjitlink, nvrtc, nvvm

from jitstudio.core.code import CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from tests.sample_builds import builds
from tests.support import cuda, one_in, request

K = CodeKind
_INPUTS = {K.PTX: nvjitlink.InputType.PTX, K.LTOIR: nvjitlink.InputType.LTOIR}
_OUTPUTS = {
    K.PTX: (nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX),
    K.CUBIN: (nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN),
    K.LTOIR: (nvrtc.nvrtcGetLTOIRSize, nvrtc.nvrtcGetLTOIR),
}


@pytest.fixture(scope="module", autouse=True)
def libraries():
    for tool in (Tool.NVRTC, Tool.NVVM, Tool.NVJITLINK):
        locate.load(tool)


def bare_nvrtc(source, headers, target, *options):
    names = [header.name.encode() for header in headers]
    contents = [header.content for header in headers]
    _, program = nvrtc.nvrtcCreateProgram(
        source.content, source.name.encode(), len(names), contents, names
    )
    for expression in source.name_expressions:
        nvrtc.nvrtcAddNameExpression(program, expression.encode())
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), [o.encode() for o in options])
    assert status == nvrtc.nvrtcResult.NVRTC_SUCCESS
    size_of, copy = _OUTPUTS[target]
    _, size = size_of(program)
    made = b" " * size
    copy(program, made)
    nvrtc.nvrtcDestroyProgram(program)
    return made.rstrip(b"\0") if target is K.PTX else made


def bare_nvvm(source, *options):
    program = nvvm.create_program()
    nvvm.add_module_to_program(program, source.content, len(source.content), source.name)
    nvvm.compile_program(program, len(options), list(options))
    made = bytearray(nvvm.get_compiled_result_size(program))
    nvvm.get_compiled_result(program, made)
    nvvm.destroy_program(program)
    return bytes(made).rstrip(b"\0")


def bare_link(modules, *options):
    handle = nvjitlink.create(len(options), list(options))
    for kind, content, name in modules:
        nvjitlink.add_data(handle, _INPUTS[kind], content, len(content), name)
    nvjitlink.complete(handle)
    made = bytearray(nvjitlink.get_linked_cubin_size(handle))
    nvjitlink.get_linked_cubin(handle, made)
    nvjitlink.destroy(handle)
    return bytes(made)


def bare_cubin(wanted):
    """What a program makes of the sources that asks for a target and the link, and nothing else."""
    real, virtual = f"-arch={wanted.arch.sm}", f"-arch={wanted.arch.compute}"
    lto = wanted.link is LinkMode.LTO
    kind = K.LTOIR if lto else K.PTX
    (first, *_) = wanted.sources
    if first.kind is K.CUDA and wanted.link is LinkMode.NONE:
        return bare_nvrtc(first, wanted.headers, K.CUBIN, real)
    modules = []
    for source in wanted.sources:
        content = source.content
        if source.kind is K.CUDA:
            how = "-dlto" if lto else "-rdc=true"
            content = bare_nvrtc(source, wanted.headers, kind, virtual, how)
        elif source.kind is K.LLVM_IR:
            content = bare_nvvm(source, virtual, *(("-gen-lto",) if lto else ()))
        modules.append((kind, content, source.name))
    return bare_link(modules, real, *(("-lto",) if lto else ()))


def instructions(function):
    """All of a function that the machine sees."""
    return function.name, [(i.address, i.text, i.encoding) for i in function]


@pytest.mark.parametrize(
    "wanted", one_in(3, [pytest.param(b.request, id=b.name) for b in builds("sm_90")])
)
def test_line_tables_change_neither_instructions_nor_encodings(tools, wanted):
    made = tools.cubin(wanted).content, bare_cubin(wanted)
    ours, bare = (tools.code(cubin).functions for cubin in made)
    assert [*map(instructions, ours)] == [*map(instructions, bare)]
    assert all(any(function.ptx_lines) for function in ours)
    assert not any(any(function.ptx_lines) for function in bare)


def test_debug_information_comes_without_a_complaint_about_line_tables(built):
    wanted = request(cuda('extern "C" __global__ void k(int* p) { *p = 1; }'), emit="ptx,cubin")
    result = built(replace(wanted, link=LinkMode.PTX, options=("-G",)))
    assert result.ok
    (linked,) = (stage for stage in result.stages if stage.tool is Tool.NVJITLINK)
    assert "-g" in linked.options
    assert "Conflicting options" not in linked.log + linked.error_log
