from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED, Artifact, CodeKind, Source
from jitstudio.core.prebuilt import cubin_of, cubins, machine_code, target_shown
from jitstudio.core.result import BuildResult, Outcome
from tests.support import KERNEL, cuda, request


def test_a_cubin_that_is_read_is_shown_with_its_own_target_and_code(host):
    made = host.build(request(cuda(KERNEL, "k.cu"), emit="cubin", arch="sm_80"))
    code = made.artifact(CodeKind.CUBIN, "k.cu")
    given = Source("k.cubin", CodeKind.CUBIN, code.content)
    opened = request(given, emit="sass", arch="sm_90")
    assert target_shown(opened) == Arch(80)
    result = host.build(opened)
    assert (result.ok, result.arch) == (True, Arch(80))
    assert machine_code(opened, result, "k.cubin").content == code.content
    assert machine_code(opened, result, "other") is None
    assert [k.resources.registers for k in result.kernels] == [
        k.resources.registers for k in made.kernels
    ]


def test_a_link_is_for_the_target_that_was_chosen():
    given = Source("k.cubin", CodeKind.CUBIN, b"hello")
    linked = request(given, emit="sass", link="ptx")
    assert target_shown(linked) == Arch(90)
    assert machine_code(linked, BuildResult(Outcome.FAILED, Arch(90)), "k.cubin") is None


def test_what_was_built_is_the_machine_code():
    made = Artifact(CodeKind.CUBIN, "k.cu", b"x")
    result = BuildResult(Outcome.BUILT, Arch(90), artifacts=(made,))
    assert machine_code(request(cuda(KERNEL, "k.cu")), result, "k.cu") is made


def test_the_link_goes_before_its_modules_and_these_have_their_order():
    made = [Artifact(CodeKind.CUBIN, name, b"x") for name in ("b.cu", "a.cu", LINKED)]
    given = Source("c.cubin", CodeKind.CUBIN, b"given")
    wanted = request(cuda(KERNEL, "a.cu"), cuda(KERNEL, "b.cu"), given)

    def names(*artifacts):
        result = BuildResult(Outcome.BUILT, Arch(90), artifacts=artifacts)
        first = cubin_of(wanted, result)
        found = [cubin.name for cubin in cubins(wanted, result)]
        assert found[:1] == [first.name]
        return found

    assert names(*made) == [LINKED, "a.cu", "b.cu", "c.cubin"]
    assert names(*made[:2]) == ["a.cu", "b.cu", "c.cubin"]
    assert names(Artifact(CodeKind.PTX, "a.cu", b"")) == ["c.cubin"]
    source_only = request(cuda(KERNEL, "a.cu"))
    assert cubin_of(source_only, BuildResult(Outcome.BUILT, Arch(90))) is None
