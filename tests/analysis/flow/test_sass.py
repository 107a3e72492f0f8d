import random
import re
from dataclasses import dataclass, field

import pytest

from jitstudio.analysis.control_flow import EdgeKind
from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.analysis.sass.reading import read_code
from tests.analysis.flow.graphs import shape

# ---- The graph that `nvdisasm -bbcfg -poff` draws, by address

_LABEL = re.compile(r'\[label="\{(.*)\}"\]')
_EDGE = re.compile(r'"(.*?)":\w+:\w -> "(.*?)":\w+:\w ')
_SECTION = re.compile(r"\.text\.(\S+?):\\l")
_ADDRESS = re.compile(r"(?:\\l|>|\|)([0-9a-f]{4,}):\\ ")


@dataclass
class Drawn:
    """What is drawn of a section: the addresses in each node, and edges between nodes."""

    nodes: dict[str, list[int]] = field(default_factory=dict)
    edges: list[tuple[str, str]] = field(default_factory=list)

    @property
    def addresses(self) -> set[int]:
        return {address for node in self.nodes.values() for address in node}

    @property
    def steps(self) -> set[tuple[int, int]]:
        """From the last instruction of a node to the first of another."""
        return {(self.nodes[one][-1], self.nodes[other][0]) for one, other in self.edges}


def read_dot(text: str) -> dict[str, Drawn]:
    """What is drawn, by the name of the section."""
    found: dict[str, Drawn] = {}
    drawn, name = Drawn(), ""
    for line in text.splitlines():
        if label := _LABEL.match(line):
            if section := _SECTION.search(label[1]):
                drawn = found[section[1]] = Drawn()
            drawn.nodes[name] = [int(address, 16) for address in _ADDRESS.findall(label[1])]
        elif edge := _EDGE.match(line):
            drawn.edges.append((edge[1], edge[2]))
        elif line.startswith('"'):
            name = line.strip('"')
    return found


HEAD = '\t.section\t.text.k,"ax"\n.text.k:\n'


def graph_of(*instructions):
    """The graph of these instructions; what ends with a colon is a label."""
    lines, address = [], 0
    for text in instructions:
        if text.endswith(":"):
            lines.append(text)
        else:
            lines.append(f"        /*{address:04x}*/                   {text} ;")
            address += 16
    (function,) = read_code(HEAD + "\n".join(lines) + "\n").functions
    return sass_graph(function)


def steps(graph, function):
    """The edges by address, as nvdisasm draws them."""
    addresses, blocks = function.addresses, graph.blocks
    return {
        (addresses[blocks[edge.source].end - 1], addresses[blocks[edge.target].start])
        for edge in graph.edges
    }


def reached(graph):
    seen, todo = set(), [block.id for block in graph.blocks if block.is_entry]
    while todo:
        if (block := todo.pop()) not in seen:
            seen.add(block)
            todo += graph.successors[block]
    return seen


def test_the_edges_are_those_that_nvdisasm_draws(disassembled):
    compared = 0
    for one in disassembled:
        drawn = read_dot(one.dot)
        for function in one.code.functions:
            graph = sass_graph(function)
            ours, theirs = steps(graph, function), drawn[function.name].steps
            told = (one.what, function.name)
            starts = {function.addresses[block.start] for block in graph.blocks}
            for source, target in theirs - ours:
                call = function[function.index_of(source)].opcode.startswith("CALL")
                # To nvdisasm a call ends a block and leads into what is called, and every label
                # begins one. Here a call comes back, and only what is jumped to begins a block.
                assert call or (target == source + 16 and target not in starts), told
            unreached = {
                function.addresses[graph.blocks[block].end - 1]
                for block in set(range(len(graph.blocks))) - reached(graph)
            }
            for source, _ in ours - theirs:
                # It leaves out what is never reached.
                assert source in unreached, told
                assert source not in drawn[function.name].addresses, told
            compared += len(ours & theirs)
    assert compared > 1000


def test_every_instruction_is_in_one_block(disassembled):
    for one in disassembled:
        for function in one.code.functions:
            blocks = sass_graph(function).blocks
            covered = [at for block in blocks for at in range(block.start, block.end)]
            assert covered == list(range(function.code_length))
            assert [block.id for block in blocks] == list(range(len(blocks)))


def test_the_code_tells_of_every_jump_where_it_leads(disassembled):
    for one in disassembled:
        for function in one.code.functions:
            graph = sass_graph(function)
            assert [b.name for b in graph.blocks if b.leads_away] == [], one.what


@pytest.mark.parametrize(
    ("name", "depths"),
    [("loops", [1, 2]), ("endless", [1]), ("crossed", [1]), ("votes", [1]), ("empty", [])],
)
def test_loops_of_the_source_are_loops_of_the_machine_code(kernels, name, depths):
    graph = sass_graph(kernels.function(name))
    assert [loop.depth for loop in graph.loops] == depths


def test_a_switch_leads_to_each_of_its_cases(kernels):
    graph = sass_graph(kernels.function("switches"))
    cases = {edge.target for edge in graph.edges if edge.kind is EdgeKind.TABLE}
    assert len(cases) >= 7


def test_each_function_of_a_section_is_entered_of_its_own(kernels):
    graph = sass_graph(kernels.function("calls"))
    entries = [block for block in graph.blocks if block.is_entry]
    assert [block.name for block in entries] == [
        part.name for part in kernels.function("calls").parts
    ]
    assert entries[0].name == "calls"
    # Nothing runs into a function: it is called.
    assert all(not graph.predecessors[block.id] for block in entries)


@pytest.mark.parametrize(
    ("instructions", "expected"),
    [
        (["NOP", "EXIT"], ["0-2:"]),
        (["@P0 EXIT", "EXIT"], ["0-1: 1", "1-2:"]),
        (["@PT EXIT", "EXIT"], ["0-1:", "1-2:"]),
        (["@!P0 BRA `(.L_1)", "MOV R1, R2", ".L_1:", "EXIT"], ["0-1: 1 2!", "1-2: 2", "2-3:"]),
        (["BRA P1, `(.L_1)", "MOV R1, R2", ".L_1:", "EXIT"], ["0-1: 1 2!", "1-2: 2", "2-3:"]),
        (["BRA.U !UP0, `(.L_1)", "NOP", ".L_1:", "EXIT"], ["0-1: 1 2!", "1-2: 2", "2-3:"]),
        (["BRA.DIV `(.L_1)", "NOP", ".L_1:", "EXIT"], ["0-1: 1 2!", "1-2: 2", "2-3:"]),
        (["BRA `(.L_1)", "NOP", ".L_1:", "EXIT"], ["0-1: 2!", "1-2: 2", "2-3:"]),
        (["@P0 BRA 0x20", "NOP", "EXIT"], ["0-1: 1 2!", "1-2: 2", "2-3:"]),
        (["BRA `(.L_1+0x10)", ".L_1:", "NOP", "EXIT"], ["0-1: 2!", "1-2: 2", "2-3:"]),
        # A branch to what comes next is one edge.
        (["@P0 BRA `(.L_1)", ".L_1:", "EXIT"], ["0-1: 1", "1-2:"]),
        (["BSSY B0, `(.L_1)", "NOP", ".L_1:", "BSYNC B0", "EXIT"], ["0-4:"]),
        (["CALL.REL.NOINC `(f)", "EXIT"], ["0-2:"]),
        (["BRA `(elsewhere)", "EXIT"], ["0-1: ?", "1-2:"]),
        (["JMX R2", "EXIT"], ["0-1: ?", "1-2:"]),
        (["@P0 RET.REL.NODEC R20 `(k)", "EXIT"], ["0-1: 1", "1-2:"]),
        (
            ['BRX R2 -0x10 (*"BRANCH_TARGETS .L_1,.L_2,.L_1"*)', ".L_1:", "NOP", ".L_2:", "EXIT"],
            ["0-1: 1* 2*", "1-2: 2", "2-3:"],
        ),
        (['BRX R2 -0x10 (*"BRANCH_TARGETS .L_9"*)', "EXIT"], ["0-1: ?", "1-2:"]),
        # What fills the last cache line is no code.
        (["EXIT", ".L_1:", "BRA `(.L_1)", "NOP", "NOP"], ["0-1:"]),
        ([".L_1:", "NOP", "@P0 BRA `(.L_1)", "EXIT"], ["0-2: 2 0!", "2-3:"]),
    ],
)
def test_what_ends_a_block_and_where_it_leads(instructions, expected):
    assert shape(graph_of(*instructions)) == expected


def test_blocks_are_named_by_label_function_or_number():
    graph = graph_of("@P0 BRA `(.L_1)", "@P1 EXIT", "NOP", ".L_1:", "EXIT")
    assert [block.name for block in graph.blocks] == ["k", "#2", "#3", ".L_1"]
    assert [block.is_entry for block in graph.blocks] == [True, False, False, False]


def test_a_function_without_code_has_no_blocks():
    (function,) = read_code(HEAD).functions
    assert sass_graph(function).blocks == ()


def test_no_broken_listing_breaks_it(kernels):
    chance = random.Random(6)
    text = "\n".join(_listing(kernels))
    for _ in range(60):
        first, second = sorted(chance.sample(range(len(text)), 2))
        broken = chance.choice((text[:first], text[:first] + text[second:], text[first:second]))
        for function in read_code(HEAD + broken).functions:
            graph = sass_graph(function)
            assert sum(block.end - block.start for block in graph.blocks) == function.code_length
            for edge in graph.edges:
                assert 0 <= edge.target < len(graph.blocks)


def _listing(kernels):
    """A text like that of nvdisasm, from what was read."""
    function = max(kernels.code.functions, key=len)
    labels = {}
    for label in function.labels:
        labels.setdefault(label.index, []).append(label.name)
    for index, instruction in enumerate(function):
        yield from (f"{name}:" for name in labels.get(index, ()))
        yield f"        /*{instruction.address:04x}*/  {instruction.text} ;"
