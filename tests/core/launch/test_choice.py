from jitstudio.core.arch import DEFAULT_ARCH
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.choice import build_for_launch, launched_name
from jitstudio.core.result import BuildResult, LoweredName, Outcome
from tests.support import ptx, request, sample


def test_a_template_is_instantiated_once():
    wanted = request(sample("saxpy.cu", "saxpy<float>"), emit="sass")
    built = build_for_launch(wanted, "saxpy<float>")
    assert built.sources[0].name_expressions == ("saxpy<float>",)
    assert built.emit == {CodeKind.PTX, CodeKind.CUBIN}
    more = build_for_launch(wanted, "saxpy<double>")
    assert more.sources[0].name_expressions == ("saxpy<float>", "saxpy<double>")


def test_a_name_in_words_of_cxx_asks_nothing_of_ptx():
    wanted = request(ptx("a.ptx", ".visible .entry k() { ret; }"))
    assert build_for_launch(wanted, "k<float>").sources == wanted.sources


def test_a_name_expression_stands_for_the_kernel_that_calls_itself_otherwise():
    names = (LoweredName("a.cu", "k<unsigned>", "_Z1kIjEvv", "k<unsigned int>()"),)
    result = BuildResult(Outcome.BUILT, DEFAULT_ARCH, lowered_names=names)
    assert launched_name(result, "k<unsigned>") == "_Z1kIjEvv"
    assert launched_name(result, "plain") == "plain"
