from dataclasses import replace

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.sweep.plan import (
    Axis,
    AxisKind,
    Extent,
    SweepError,
    SweepPlan,
    expand,
    extent,
    parse_axis,
    placeholders_of,
)
from tests.support import cuda, request

SAXPY = cuda("template <class T> __global__ void saxpy(T a) {}", "saxpy.cu")


def plan(*axes, kernel="saxpy<{T}>", placeholders=("T",), **spec):
    build = request(SAXPY, options=("-lineinfo",))
    read = tuple(parse_axis(text, placeholders) for text in axes)
    return SweepPlan(read, build, LaunchSpec(kernel=kernel, **spec))


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
    with pytest.raises(SweepError, match=r"is written NAME=VALUE|has no values"):
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
    variants = expand(SweepPlan(axes, build, LaunchSpec(kernel="k<{T}>")))
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
        (("block=1,2",), "saxpy<{T}>", r"No axis gives values for \{T\}"),
        (("T=int",), "saxpy<int>", r"has no \{T\}"),
        (("target=sm_90,best",), "saxpy<int>", "'best' is no target architecture"),
        (("options=-O1;'",), "saxpy<int>", "Check the quotes"),
        ((f"block={','.join(map(str, range(5000)))}",), "saxpy<int>", "5,000 variants are more"),
    ],
)
def test_a_senseless_plan_is_refused_in_words(axes, kernel, why):
    with pytest.raises(SweepError, match=why):
        expand(plan(*axes, kernel=kernel))


def test_a_plan_without_axes_is_one_launch():
    (only,) = expand(plan(kernel="saxpy<int>"))
    assert (only.values, only.label) == ((), "")


def test_the_extent_is_told_without_making_the_variants():
    given = plan("T=float,double", "block=64,128,256", "-DUNROLL=1,2")
    assert extent(given) == Extent(variants=12, builds=4)
    assert len({variant.build for variant in expand(given)}) == 4


def test_instances_that_are_built_anyway_are_one_build():
    both = cuda(SAXPY.content.decode(), "saxpy.cu", "saxpy<float>", "saxpy<double>")
    given = replace(plan("T=float,double", "block=64,128"), build=request(both))
    assert extent(given) == Extent(variants=4, builds=1)


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        (("block=64",), "No axis gives values for {T}"),
        (("T=float", "target=pentium"), "pentium"),
        (("T=float", "options=-DX='"), "quotes"),
    ],
)
def test_the_extent_of_what_makes_no_sense_is_refused(axes, message):
    with pytest.raises(SweepError, match=message):
        extent(plan(*axes))
