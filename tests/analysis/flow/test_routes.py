from jitstudio.analysis.control_flow import Edge, EdgeKind
from jitstudio.analysis.flow.routes import Box, Plan, Row, routed

# Two blocks below each other, with a third between them at the right.
BOXES = {0: Box(0, 20, 100, 40), 1: Box(120, 100, 60, 40), 2: Box(0, 180, 100, 40)}
ROWS = (Row(20, 60, 100), Row(100, 140, 180), Row(180, 220, 260))
FORTH, PAST = Edge(0, 1, EdgeKind.NEXT), Edge(0, 2, EdgeKind.BRANCH)
BACK, SELF = Edge(2, 0, EdgeKind.BRANCH), Edge(1, 1, EdgeKind.BRANCH)


def routes(*edges, back=(), courses=None):
    known = {(0, 1): (), (0, 2): ((60.0, 1),)} if courses is None else courses
    plan = Plan(BOXES, {0: 0, 1: 1, 2: 2}, ROWS, known, 200)
    return routed(plan, edges, frozenset(back))


def end(route):
    return route.steps[-1][-2:]


def test_an_edge_leads_from_the_bottom_of_a_block_to_the_top_of_the_next():
    (route,) = routes(FORTH)
    assert route.start == (50, 60)
    assert end(route) == (150, 100)
    assert not route.is_back


def test_an_edge_over_a_layer_keeps_to_its_column_there():
    (route,) = routes(PAST)
    assert [step[-2:] for step in route.steps] == [(60, 100), (60, 140), (50, 180)]


def test_edges_of_a_block_leave_it_in_the_order_of_where_they_go():
    past, forth = routes(PAST, FORTH)
    assert past.start[0] < forth.start[0]


def test_an_edge_back_leads_from_side_to_side():
    (route,) = routes(BACK, back=[BACK])
    assert route.is_back
    assert route.start == (100, 210)
    assert end(route) == (100, 30)


def test_two_ways_between_the_same_blocks_do_not_cover_each_other():
    past, back = routes(PAST, BACK, back=[BACK])
    passing = [{step[-2] for step in route.steps if step[-1] == 140} for route in (past, back)]
    assert passing == [{56}, {64}]


def test_a_block_that_leads_to_itself_has_a_loop_at_its_side():
    (route,) = routes(SELF, back=[SELF])
    assert route.start[0] == end(route)[0] == 180
    assert route.start[1] > end(route)[1]


def test_an_edge_without_a_column_runs_around_everything():
    (route,) = routes(PAST, courses={})
    assert max(step[0] for step in route.steps) > 200
    assert end(route) == (50, 180)


def test_a_route_moves_as_a_whole():
    (route,) = routes(FORTH)
    moved = route.moved(1000, 500)
    assert moved.start == (1050, 560)
    assert end(moved) == (1150, 600)
    assert len(moved.steps[-1]) == len(route.steps[-1])
