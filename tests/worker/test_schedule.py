from dataclasses import replace

from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED, Artifact, CodeKind, Header, Source
from jitstudio.core.plan import Ref, plan
from jitstudio.core.tools import Tool
from jitstudio.worker.execution import Schedule
from tests.support import cuda, request, sample

K = CodeKind
A_80, A_90 = Arch(80), Arch(90)
A, B = cuda("a", "a.cu", "f<int>"), cuda("b", "b.cu")


def scheduled(wanted):
    return Schedule(wanted, plan(wanted))


def taken(schedule):
    return [(number, job.tool, job.name) for number, job in schedule.take_ready()]


def test_each_step_is_told_once_and_when_it_has_what_it_needs():
    schedule = scheduled(request(A, B, emit="sass"))
    assert schedule.total == 4
    assert taken(schedule) == [(1, Tool.NVRTC, "a.cu"), (3, Tool.NVRTC, "b.cu")]
    assert taken(schedule) == []
    schedule.add([Artifact(K.CUBIN, "b.cu", b"elf")])
    ((number, job),) = schedule.take_ready()
    assert (number, job.tool) == (4, Tool.NVDISASM)
    assert job.inputs == ((Ref(K.CUBIN, "b.cu"), b"elf"),)


def test_a_link_waits_for_all_its_modules():
    schedule = scheduled(request(A, B, link="ptx", emit="cubin"))
    assert len(taken(schedule)) == 2
    schedule.add([Artifact(K.PTX, "b.cu", b"2")])
    assert taken(schedule) == []
    schedule.add([Artifact(K.PTX, "a.cu", b"1")])
    ((number, job),) = schedule.take_ready()
    assert (number, job.name) == (3, LINKED)
    assert [content for _, content in job.inputs] == [b"1", b"2"]  # in link order


def test_only_what_the_user_gets_is_final():
    schedule = scheduled(request(A, link="lto", emit="cubin"))
    ((_, compiles),) = schedule.take_ready()
    schedule.add([Artifact(K.LTOIR, "a.cu", b"")])
    ((_, links),) = schedule.take_ready()
    assert (compiles.final, links.final) == (False, True)
    ((_, alone),) = scheduled(request(A)).take_ready()
    assert alone.final


def test_disassembling_lists_the_kernels_of_a_cubin_that_was_given():
    built = scheduled(request(A, emit="sass"))
    ((_, compiles),) = built.take_ready()
    built.add([Artifact(K.CUBIN, "a.cu", b"elf")])
    ((_, disassembles),) = built.take_ready()
    assert (compiles.final, disassembles.final) == (True, False)
    ((_, given),) = scheduled(request(Source("a.cubin", K.CUBIN, b"elf"), emit="sass")).take_ready()
    assert (given.tool, given.final) == (Tool.NVDISASM, True)


def test_nvrtc_gets_headers_and_names_and_libnvvm_its_libraries():
    library = Source("lib.ll", K.LLVM_IR, b"lib")
    header = Header("h.cuh", b"")
    wanted = replace(
        request(A, sample("fill_typed.ll"), headers=(header,)), libraries=(library,), libdevice=True
    )
    (_, nvrtc), (_, nvvm) = scheduled(wanted).take_ready()
    assert (nvrtc.headers, nvrtc.name_expressions) == ((header,), ("f<int>",))
    assert (nvrtc.libraries, nvrtc.libdevice, nvrtc.precompile) == ((), False, True)
    assert (nvvm.headers, nvvm.name_expressions) == ((), ())
    assert (nvvm.libraries, nvvm.libdevice) == (((Ref(K.LLVM_IR, "lib.ll"), b"lib"),), True)
    assert not nvvm.precompile


def test_a_module_compiled_for_several_targets_keeps_its_names():
    wanted = replace(request(A, emit="fatbin"), fat_archs=(A_80, A_90))
    schedule = scheduled(wanted)
    jobs = [job for _, job in schedule.take_ready()]
    assert [job.name for job in jobs] == ["a.cu@sm_80", "a.cu@sm_90"]
    assert {job.name_expressions for job in jobs} == {("f<int>",)}
