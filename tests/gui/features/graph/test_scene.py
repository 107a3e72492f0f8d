import re

from jitstudio.analysis.control_flow import EdgeKind
from jitstudio.gui.features.graph.scene import look_of
from tests.gui.graphs import loops_picture


def test_each_depth_has_a_colour_and_deeper_ones_begin_anew(theme):
    look = look_of(theme)
    frames = [look.block(depth)[1].name() for depth in range(5)]
    assert len(set(frames)) == 5
    assert look.block(5) == look.block(1)


def test_ways_back_stand_out_and_kinds_of_edges_differ(theme):
    look = look_of(theme)
    routes = loops_picture().layout.routes
    back = {look.edge(route).name() for route in routes if route.is_back}
    forth = {look.edge(route).name() for route in routes if not route.is_back}
    assert back == {theme.marks.error.name()}
    assert not back & forth
    assert len({color.name() for color in look.edges.values()}) == len(EdgeKind)


def test_code_can_be_read_on_every_block(theme):
    look = look_of(theme)
    for fill in (look.fill, *look.loop_fills):
        for text in (look.text, look.title):
            assert contrast(text, fill) >= 4.5


def test_a_picture_gets_colours_that_svg_knows(theme):
    colors = look_of(theme).svg
    told = (colors.ground, colors.back, *colors.edges.values(), *colors.loops, *colors.loop_fills)
    assert all(re.fullmatch("#[0-9a-f]{6}", color) for color in told)


def contrast(one, other):
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(color):
    parts = (color.redF(), color.greenF(), color.blueF())
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
