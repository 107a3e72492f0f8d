"""The graph that `nvdisasm -bbcfg -poff` draws, by address."""

import re
from dataclasses import dataclass, field

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
