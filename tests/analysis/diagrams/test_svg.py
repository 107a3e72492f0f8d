from xml.etree import ElementTree

from jitstudio.analysis.control_flow import EdgeKind, FlowEffect
from jitstudio.analysis.diagrams.captions import Caption, TextMetrics, sass_captions
from jitstudio.analysis.diagrams.flow_layout import lay_out
from jitstudio.analysis.diagrams.flow_svg import Colors, svg
from jitstudio.analysis.sass.cfg import sass_graph
from tests.analysis.flow.graphs import graph_of

LETTERS = TextMetrics(7, 15, 11)
COLORS = Colors(
    ground="#ffffff",
    text="#111111",
    title="#000000",
    frame="#888888",
    fill="#f4f4f4",
    edges={EdgeKind.NEXT: "#777777", EdgeKind.BRANCH: "#2a7a2a", EdgeKind.TABLE: "#8844aa"},
    back="#c04040",
    loops=("#4d94ff", "#e9a949"),
    loop_fills=("#e8f1ff", "#fdf3de"),
)
NAMES = {"": "http://www.w3.org/2000/svg"}


def drawn(graph, captions):
    layout = lay_out(graph, [LETTERS.size(caption) for caption in captions])
    return ElementTree.fromstring(svg(graph, layout, captions, LETTERS, COLORS))


def captions_of(graph, *rows):
    return [Caption(block.name, rows, len(rows)) for block in graph.blocks]


def test_a_picture_has_every_block_edge_and_word(kernels):
    function = kernels.function("loops")
    graph = sass_graph(function)
    captions = sass_captions(graph, function)
    picture = drawn(graph, captions)
    assert picture.find("title", NAMES).text == "loops"
    assert len(picture.findall("g/rect", NAMES)) == len(graph.blocks)
    assert len(picture.findall("path", NAMES)) == len(graph.edges)
    words = [text.text for text in picture.iterfind("g/text", NAMES)]
    assert words == [word for one in captions for word in (one.title, *one.rows)]


def test_loops_and_edges_have_their_colours():
    leaps = [FlowEffect(1, (1,), goes_on=True), FlowEffect(2, (0,), goes_on=True)]
    graph = graph_of(4, leaps, {0: "k"})
    picture = drawn(graph, captions_of(graph, "nop"))
    fills = [rect.get("fill") for rect in picture.iterfind("g/rect", NAMES)]
    assert fills == ["#e8f1ff", "#fdf3de", "#e8f1ff", "#f4f4f4"]
    strokes = [path.get("stroke") for path in picture.iterfind("path", NAMES)]
    assert strokes == ["#777777", "#777777", "#c04040", "#777777", "#c04040"]
    heads = {marker.get("id") for marker in picture.iterfind("defs/marker", NAMES)}
    ends = {path.get("marker-end") for path in picture.iterfind("path", NAMES)}
    assert {f"url(#{head})" for head in heads} >= ends


def test_loops_deeper_than_there_are_colours_begin_anew():
    leaps = [FlowEffect(5 - at, (at,), goes_on=True) for at in (2, 1, 0)]
    graph = graph_of(6, leaps, {0: "k"})
    fills = [
        rect.get("fill") for rect in drawn(graph, captions_of(graph)).iterfind("g/rect", NAMES)
    ]
    assert fills[2] == "#e8f1ff"
    assert max(loop.depth for loop in graph.loops) == 3


def test_any_text_can_be_drawn():
    graph = graph_of(1, [], {0: 'k<&">\x00\ud800'})
    picture = drawn(graph, captions_of(graph, "\x01 & ]]> <b>"))
    words = [text.text for text in picture.iterfind("g/text", NAMES)]
    assert words == [
        'k<&">\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}',
        "\N{REPLACEMENT CHARACTER} & ]]> <b>",
    ]
