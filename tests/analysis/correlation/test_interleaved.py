"""Source, PTX and SASS in turn, against the line tables as nvdisasm and PTX spell them."""

import re
import subprocess
from itertools import pairwise

import pytest

from jitstudio.analysis.correlation.interleaved import interleaved, source_blocks, source_text
from jitstudio.core.code import CodeKind
from jitstudio.toolchain.locate import nvdisasm
from tests.analysis.correlation.kernels import NESTED, NESTED_NAME

NAMES = [f"sm_90-{NESTED_NAME}", "sm_75-histogram.cu"]
_INSTRUCTION = re.compile(r"\s+/\*([0-9a-f]{4})\*/\s+(?:@!?\w+ )?[A-Z]")
_FILE = re.compile(r'\s+//## File "([^"]+)", line (\d+)')
_LOC = re.compile(r"\s*\.loc\s+\d+ (\d+) \d+")


def by_nvdisasm(cubin, path):
    """The line of each address of each function, by `nvdisasm -g`, which tells no calls."""
    path.write_bytes(cubin)
    command = [nvdisasm(), "-c", "-g", path]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines, name, line = {}, "", None
    for row in text.split("\n"):
        if row.startswith(".text."):
            name, line = row[len(".text.") : -1], None
        elif file := _FILE.match(row):
            line = int(file[2])
        elif at := _INSTRUCTION.match(row):
            lines[name, int(at[1], 16)] = line
    return lines


@pytest.mark.parametrize("name", NAMES)
def test_each_instruction_is_under_the_line_that_nvdisasm_says(name, made, tools, tmp_path):
    one = made[name]
    source = source_text(one.request)
    told = by_nvdisasm(tools.cubin(one.request).content, tmp_path / "k.cubin")
    for function in one.correlation.code.functions:
        blocks = source_blocks(one.correlation, function, source)
        code = {index: block for block in blocks for index in block.code}
        assert sum(len(block.code) for block in blocks) == len(code) == function.code_length
        for index, block in code.items():
            line = told[function.name, function.addresses[index]]
            assert line == (block.place.line if block.place else None)
        texts = one.texts[one.correlation.module_of(function)]
        ptx = [line for block in blocks for line in block.ptx]
        assert len(ptx) == len(set(ptx)) > 10
        for block in blocks:
            for line in block.ptx:
                above = (m for n in range(line - 1, 0, -1) if (m := _LOC.match(texts[n - 1])))
                loc = next(above, None)
                assert (block.place and block.place.line) == (loc and int(loc[1]))


def test_the_lines_are_in_the_order_of_the_source_with_their_texts(made):
    one = made[NAMES[0]]
    function = one.correlation.code.kernels[0]
    blocks = source_blocks(one.correlation, function, source_text(one.request))
    texts = one.texts[one.correlation.module_of(function)]
    lines = interleaved(blocks, texts, lambda index: function[index].text)
    heads = [line for line in lines if line.kind is CodeKind.HEADER]
    written = NESTED.split("\n")
    own = [line.number for line in heads if line.place and line.place.file.endswith(NESTED_NAME)]
    assert own == sorted(own)
    assert [line.number for line in heads[: len(own)]] == own
    assert [line.text for line in heads[: len(own)]] == [written[n - 1] for n in own]
    kinds = [line.kind for line in lines]
    assert kinds.count(CodeKind.SASS) == function.code_length
    # The brace that the body begins with stands under no heading of code without a line.
    assert "{" in [texts[n - 1] for block in blocks for n in block.ptx]
    assert heads[-1].place is not None
    assert "{" not in [line.text for line in lines]
    # In a block PTX comes first.
    assert (CodeKind.SASS, CodeKind.PTX) not in {*pairwise(kinds)}
