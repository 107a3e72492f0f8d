from dataclasses import replace
from itertools import combinations

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Header, Source
from jitstudio.gui.features.pipeline.graph import (
    LAUNCH,
    GridPosition,
    NodeRole,
    NodeState,
    Pipeline,
    PipelineEdge,
    lay_out,
    pipeline_of,
)
from tests.support import cuda, ptx, request

CODE = "ptx,sass,cubin"


def drawn(pipeline):
    """Every edge by the titles of its nodes."""
    title = {node.key: node.title for node in pipeline.nodes}
    return {(title[edge.start], title[edge.end]) for edge in pipeline.edges}


def test_one_module_becomes_ptx_and_cubin_in_one_run_and_sass_in_another():
    pipeline = pipeline_of(request(cuda("", "k.cu"), emit=CODE), launch=True)
    assert drawn(pipeline) == {
        ("k.cu", "NVRTC"),
        ("NVRTC", "k.ptx"),
        ("NVRTC", "k.cubin"),
        ("k.cubin", "nvdisasm"),
        ("nvdisasm", "k.sass"),
        ("k.cubin", "Launch"),
    }
    assert [node.state for node in pipeline.nodes] == [NodeState.GIVEN, *[NodeState.WAITING] * 6]
    assert [node.step for node in pipeline.nodes] == [0, 1, 1, 1, 2, 2, 0]


def test_a_link_joins_what_the_modules_become():
    sources = (cuda("", "a.cu"), ptx("b.ptx", ""))
    pipeline = pipeline_of(request(*sources, emit="sass,cubin", link="ptx"), launch=True)
    assert {("a.ptx", "nvJitLink"), ("b.ptx", "nvJitLink")} <= drawn(pipeline)
    assert ("linked.cubin", "Launch") in drawn(pipeline)
    (link,) = pipeline.of_role(NodeRole.LINK)
    assert link.name == "linked"


def test_an_lto_link_to_ptx_and_to_cubin_are_two_runs():
    pipeline = pipeline_of(request(cuda("", "a.cu"), emit=CODE, link="lto"))
    links = pipeline.of_role(NodeRole.LINK)
    assert len({link.key for link in links}) == 2
    assert {("a.ltoir", "nvJitLink"), ("nvJitLink", "linked.ptx")} <= drawn(pipeline)


def test_what_a_fatbin_is_packed_of_tells_its_targets():
    asked = replace(
        request(cuda("", "k.cu"), emit="fatbin"),
        fat_archs=(Arch(80), Arch(90)),
        fat_ptx=(Arch(90),),
    )
    packed = {start for start, end in drawn(pipeline_of(asked)) if end == "nvFatbin"}
    assert packed == {"k@sm_80.cubin", "k@sm_90.cubin", "k@compute_90.ptx"}


def test_headers_flow_into_the_modules_that_name_them_also_through_one_another():
    headers = (
        Header("outer.cuh", b'#include "inner.cuh"'),
        Header("inner.cuh", b""),
        Header("other.cuh", b""),
    )
    sources = (cuda('#include "outer.cuh"', "a.cu"), cuda("", "b.cu"))
    pipeline = pipeline_of(request(*sources, link="lto", headers=headers))
    assert [node.title for node in pipeline.of_role(NodeRole.HEADER)] == ["outer.cuh", "inner.cuh"]
    run = "NVRTC:a.cu:ltoir"
    reads = [edge for edge in pipeline.edges if edge.end == run]
    assert [edge.start for edge in reads] == ["cuda:a.cu", "header:outer.cuh", "header:inner.cuh"]
    assert PipelineEdge("header:outer.cuh", "NVRTC:b.cu:ltoir") not in pipeline.edges


def test_a_library_flows_into_the_modules_of_its_language():
    module = Source("k.ll", CodeKind.LLVM_IR, b"x")
    library = Source("lib.ll", CodeKind.LLVM_IR, b"x")
    asked = request(module, cuda("", "a.cu"), link="ptx")
    pipeline = pipeline_of(replace(asked, libraries=(library,)))
    reading = {end for start, end in drawn(pipeline) if start == "lib.ll"}
    assert reading == {"libNVVM"}


def test_what_cannot_be_built_shows_its_modules_and_why():
    pipeline = pipeline_of(request(ptx("a.ptx", ""), emit="ptx"), launch=True)
    assert [node.title for node in pipeline.nodes] == ["a.ptx"]
    assert pipeline.edges == ()
    assert "is PTX already" in pipeline.problem


def test_builds_of_other_texts_have_the_same_shape():
    one, other, third = (
        pipeline_of(request(cuda(text, name), emit=CODE))
        for text, name in (("a", "k.cu"), ("bb", "k.cu"), ("a", "l.cu"))
    )
    assert one != other
    assert one.shape == other.shape
    assert one.shape != third.shape


def test_downstream_is_all_that_depends_on_a_node():
    pipeline = pipeline_of(request(cuda("", "k.cu"), emit=CODE), launch=True)
    assert pipeline.downstream({"cubin:k.cu"}) == {"nvdisasm:k.cu:sass", "sass:k.cu", LAUNCH}
    assert pipeline.downstream({"sass:k.cu"}) == frozenset()


ONE = pipeline_of(request(cuda("", "k.cu"), emit=CODE), launch=True)


def link(count, mode="lto"):
    sources = (cuda("", f"m{number}.cu") for number in range(count))
    return pipeline_of(request(*sources, emit=CODE, link=mode), launch=True)


def test_nothing_needs_no_room():
    assert lay_out(Pipeline()).rows == 0


def test_columns_follow_the_flow_and_the_launch_stands_last():
    layout = lay_out(ONE)
    assert layout.columns == 5
    assert [layout.places[node.key].column for node in ONE.nodes] == [0, 1, 2, 2, 3, 4, 4]
    assert layout.places[LAUNCH].row == layout.places["sass:k.cu"].row + 1


@pytest.mark.parametrize("pipeline", [ONE, link(2), link(3, "ptx"), link(40)])
def test_no_two_nodes_overlap_and_no_edge_runs_through_one(pipeline):
    layout = lay_out(pipeline)
    for one, other in combinations(layout.places.values(), 2):
        assert one.column != other.column or abs(one.row - other.row) >= 1
    nodes = set(layout.places.values())
    for stop in (stop for route in layout.routes.values() for stop in route):
        near = [abs(n.row - stop.row) for n in nodes if n.column == stop.column]
        assert min(near, default=1) >= 0.5


def test_a_lone_chain_is_straight():
    layout = lay_out(pipeline_of(request(cuda("", "k.cu"), emit="ptx")))
    assert set(layout.places.values()) == {GridPosition(column, 0) for column in range(3)}


def test_the_modules_of_a_link_keep_their_order_and_their_lanes():
    pipeline = link(40)
    layout = lay_out(pipeline)
    lanes = [
        [layout.places[f"{kind}:m{n}.cu{made}"].row for n in range(40)]
        for kind, made in (("cuda", ""), ("NVRTC", ":ltoir"), ("ltoir", ""))
    ]
    assert lanes[0] == lanes[1] == lanes[2]
    assert lanes[0] == sorted(lanes[0])
    assert layout.rows == 40
    assert layout.places["cubin:linked"].row == pytest.approx(20, abs=1)


def test_edges_do_not_cross_where_they_need_not():
    """Sources told of in another order are drawn in the order of those who read them."""
    pipeline = pipeline_of(request(cuda("", "a.cu"), cuda("", "b.cu"), link="ptx", emit="cubin"))
    swapped = Pipeline(tuple(pipeline.nodes[i] for i in (1, 0, *range(2, 8))), pipeline.edges)
    layout = lay_out(swapped)
    rows = {key: place.row for key, place in layout.places.items()}
    assert (rows["cuda:a.cu"] < rows["cuda:b.cu"]) == (
        rows["NVRTC:a.cu:ptx"] < rows["NVRTC:b.cu:ptx"]
    )
