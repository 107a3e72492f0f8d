from dataclasses import replace

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.axes import Axis, AxisKind, VariantError, parse_axis, placeholders_of
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.request import LinkMode
from jitstudio.variants.plan import (
    PlanSize,
    VariantPlan,
    expand,
    extent,
    parse_option_sets,
    parse_targets,
)
from tests.support import cuda, refusal, request

SAXPY = cuda("template <class T> __global__ void saxpy(T a) {}", "saxpy.cu")


def plan(*axes, kernel="saxpy<{T}>", placeholders=("T",), **spec):
    build = request(SAXPY, options=("-lineinfo",))
    read = tuple(parse_axis(text, placeholders) for text in axes)
    return VariantPlan(read, build, LaunchSpec(kernel=kernel, **spec))


@pytest.mark.parametrize(
    ("text", "axis"),
    [
        ("block=64, 128", Axis(AxisKind.BLOCK, ("64", "128"))),
        ("block=16,16;32,8", Axis(AxisKind.BLOCK, ("16,16", "32,8"))),
        ("block=16,16;", Axis(AxisKind.BLOCK, ("16,16",))),
        ("-DUNROLL=1,2,1", Axis(AxisKind.MACRO, ("1", "2"), "UNROLL")),
        ("T=float,double", Axis(AxisKind.TEMPLATE, ("float", "double"), "T")),
        ("T=pair<int, int>;float", Axis(AxisKind.TEMPLATE, ("pair<int, int>", "float"), "T")),
        ("n=1024,2048", Axis(AxisKind.ARGUMENT, ("1024", "2048"), "n")),
        ("target=sm_90,sm_100", Axis(AxisKind.TARGET, ("sm_90", "sm_100"))),
        (
            "options=;-O1 -G;-Xptxas=-v,-O3",
            Axis(AxisKind.OPTIONS, ("", "-O1 -G", "-Xptxas=-v,-O3")),
        ),
    ],
)
def test_an_axis_is_read(text, axis):
    assert parse_axis(text, {"T"}) == axis


@pytest.mark.parametrize("text", ["block", "=1,2", "block="])
def test_what_is_no_axis_is_told(text):
    with pytest.raises(VariantError, match=r"is written NAME=VALUE|has no values"):
        parse_axis(text)


def test_placeholders_are_found_in_names_only():
    assert placeholders_of(["saxpy<{T}, {N}>", "other<{T}>", "plain"]) == {"T", "N"}


def test_the_last_axis_varies_fastest():
    variants = expand(plan("block=64,128", "T=float,double"))
    assert [variant.label for variant in variants] == [
        "block=64 T=float",
        "block=64 T=double",
        "block=128 T=float",
        "block=128 T=double",
    ]
    assert [variant.index for variant in variants] == [0, 1, 2, 3]
    assert [(v.spec.block, v.spec.kernel) for v in variants][1] == ("64", "saxpy<double>")


def test_a_template_is_asked_for_by_its_name_expression():
    first, second = expand(plan("T=float,double"))
    assert first.build.sources[0].name_expressions == ("saxpy<float>",)
    assert second.build.sources[0].name_expressions == ("saxpy<double>",)
    assert first.build.emit == {CodeKind.PTX, CodeKind.CUBIN}


def test_placeholders_in_name_expressions_are_filled_too():
    build = request(cuda("template <class T> __global__ void k() {}", "k.cu", "helper<{T}>"))
    axes = (parse_axis("T=int,long", {"T"}),)
    variants = expand(VariantPlan(axes, build, LaunchSpec(kernel="k<{T}>")))
    assert variants[1].build.sources[0].name_expressions == ("helper<long>", "k<long>")


def test_variants_that_differ_in_their_launch_only_have_equal_builds():
    small, large = expand(plan("block=64,128", kernel="saxpy<int>"))
    assert small.build == large.build
    assert hash(small.build) == hash(large.build)


def test_macros_and_options_come_behind_those_of_all():
    variants = expand(plan("-DUNROLL=1,2", "options=;-O1 -G", kernel="saxpy<int>"))
    assert [variant.build.options for variant in variants] == [
        ("-lineinfo", "-DUNROLL=1"),
        ("-lineinfo", "-DUNROLL=1", "-O1", "-G"),
        ("-lineinfo", "-DUNROLL=2"),
        ("-lineinfo", "-DUNROLL=2", "-O1", "-G"),
    ]


def test_macros_and_options_come_behind_those_of_a_module_too():
    base = plan("-DUNROLL=1,2", kernel="saxpy<int>")
    build = replace(base.build, sources=(SAXPY, replace(SAXPY, name="own.cu", options=("-G",))))
    variants = expand(replace(base, build=build))
    assert [[s.options for s in variant.build.sources] for variant in variants] == [
        [None, ("-G", "-DUNROLL=1")],
        [None, ("-G", "-DUNROLL=2")],
    ]


def test_targets_arguments_and_the_cover_are_put_in_their_places():
    arguments = (("n", "1"), ("x", "n"))
    variants = expand(
        plan("target=sm_80", "n=16,32", "cover=n,n*2", kernel="saxpy<int>", arguments=arguments)
    )
    assert {variant.build.arch.sm for variant in variants} == {"sm_80"}
    assert variants[2].spec.arguments == (("n", "32"), ("x", "n"))
    assert [variant.spec.cover for variant in variants] == ["n", "n*2", "n", "n*2"]


@pytest.mark.parametrize(
    ("axes", "kernel", "why"),
    [
        (("block=1,2", "block=4"), "saxpy<int>", "Two axes vary 'block'"),
        (("block=1,2",), "saxpy<{T}>", r"values for \{T\}\. "),
        (("T=int",), "saxpy<int>", r"has no \{T\}"),
        (("target=sm_90,best",), "saxpy<int>", f"^{refusal(Arch.parse, 'best')}"),
        (("options=-O1;'",), "saxpy<int>", "Check the quotes"),
        ((f"block={','.join(map(str, range(5000)))}",), "saxpy<int>", "5,000 variants are more"),
    ],
)
def test_a_senseless_plan_is_refused_in_words(axes, kernel, why):
    with pytest.raises(VariantError, match=why):
        expand(plan(*axes, kernel=kernel))


def test_a_plan_without_axes_is_one_launch():
    (only,) = expand(plan(kernel="saxpy<int>"))
    assert (only.values, only.label) == ((), "")


def test_the_extent_is_told_without_making_the_variants():
    given = plan("T=float,double", "block=64,128,256", "-DUNROLL=1,2")
    assert extent(given) == PlanSize(variants=12, builds=4)
    assert len({variant.build for variant in expand(given)}) == 4


def test_instances_that_are_built_anyway_are_one_build():
    both = cuda(SAXPY.content.decode(), "saxpy.cu", "saxpy<float>", "saxpy<double>")
    given = replace(plan("T=float,double", "block=64,128"), build=request(both))
    assert extent(given) == PlanSize(variants=4, builds=1)


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        (("block=64",), "No axis gives values for {T}"),
        (("T=float", "target=pentium"), "pentium"),
        (("T=float", "options=-DX='"), "quotes"),
    ],
)
def test_the_extent_of_what_makes_no_sense_is_refused(axes, message):
    with pytest.raises(VariantError, match=message):
        extent(plan(*axes))


def test_targets_are_read_with_commas_or_blanks():
    read = parse_targets("sm_80, 90a compute_100,sm_80")
    assert read == Axis(AxisKind.TARGET, ("sm_80", "sm_90a", "sm_100"))


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "There is no target"), (" , ", "There is no target"), ("sm_80 x", "'x' is not a target")],
)
def test_what_is_no_target_is_refused(text, words):
    with pytest.raises(VariantError, match=words):
        parse_targets(text)


@pytest.mark.parametrize(
    ("lines", "sets"),
    [
        ([], ("",)),
        ([""], ("",)),
        (["-O1", ""], ("-O1",)),
        (["", "-O1", " -O1 ", ""], ("", "-O1")),
    ],
)
def test_a_line_is_an_option_set(lines, sets):
    assert parse_option_sets(lines).values == sets


def test_a_table_has_fewer_variants_than_a_sweep():
    axes = (parse_targets("sm_90"), parse_option_sets([f"-DN={n}" for n in range(300)]))
    many = VariantPlan(axes, request(SAXPY), launches=False)
    assert len(expand(many)) == 300
    with pytest.raises(VariantError, match="300 variants are more than the 256 of one table"):
        expand(many, 256)


def test_a_link_is_an_axis_whose_other_modules_come_with_it():
    alone, both = request(SAXPY), request(SAXPY, cuda("", "other.cu"), link="lto")
    axes = (parse_axis("options=-O1"), parse_axis("link=none,ptx,lto"))
    plan = VariantPlan(axes, alone, launches=False, by_link={LinkMode.LTO: both})
    builds = [variant.build for variant in expand(plan)]
    assert [build.link.value for build in builds] == ["none", "ptx", "lto"]
    assert [len(build.sources) for build in builds] == [1, 1, 2]
    assert {build.options for build in builds} == {("-O1",)}
    with pytest.raises(VariantError, match="'static' is no way to link"):
        expand(VariantPlan((Axis(AxisKind.LINK, ("static",)),), alone))


def test_a_toolchain_is_one_of_those_that_are_known():
    axis = parse_axis("toolchain=own,13.0")
    known = {"own": "", "13.0": "/old"}
    built = VariantPlan((axis,), request(SAXPY), launches=False, toolchains=known)
    assert [variant.build.toolchain for variant in expand(built)] == ["", "/old"]
    assert extent(built) == PlanSize(2, 2)
    for value in ("/old", "/evil"):
        named = Axis(AxisKind.TOOLCHAIN, (value,))
        with pytest.raises(VariantError, match=f"'{value}' is not a toolchain .* Known: own, 13.0"):
            expand(replace(built, axes=(named,)))


def test_an_argument_can_be_called_link():
    assert parse_axis("link=1,2") == Axis(AxisKind.ARGUMENT, ("1", "2"), "link")


def test_what_is_only_built_keeps_what_is_made_of_it():
    build = replace(request(SAXPY), emit=frozenset({CodeKind.SASS}))
    given = VariantPlan((parse_axis("T=int", {"T"}),), build, LaunchSpec(kernel="k<{T}>"), False)
    (variant,) = expand(given)
    assert variant.build.emit == {CodeKind.SASS}
    assert variant.build.sources[0].name_expressions == ("k<int>",)
    assert given.has_kernel
    assert not given.has_block
    assert replace(given, axes=(parse_axis("block=64"),)).has_block
