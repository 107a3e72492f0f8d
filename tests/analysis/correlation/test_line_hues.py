from itertools import pairwise

from jitstudio.analysis.correlation.hues import HUES, PLAIN, UNMAPPED
from jitstudio.analysis.correlation.index import Correlation
from jitstudio.analysis.correlation.line_hues import line_hues
from jitstudio.analysis.sass.reading import read_code


def colored(made, *files):
    return line_hues(made.correlation, lambda file: file.endswith(files))


def test_what_belongs_together_has_one_colour(made):
    linked = made["sm_90-apply_transform.cu-lto"]
    found = colored(linked, "user_transform.cu", "apply_transform.cu")
    kernel = linked.function("apply_transform")
    seen = set()
    for index in range(kernel.code_length):
        matches = linked.correlation.of_code(kernel, index)
        hue = found.code[kernel][index]
        file, line = matches.places[0]
        assert found.sources[file][line] == hue
        seen.add(hue)
    assert seen <= set(range(1, HUES + 1))
    assert len(seen) > 3


def test_each_line_of_ptx_has_the_colour_of_its_source(made):
    for name in ("sm_90-histogram.cu", "sm_75-apply_transform.cu-ptx"):
        one = made[name]
        found = colored(one, ".cu", ".cuh")
        for module, lines in one.correlation.modules.items():
            assert len(found.ptx[module]) == lines.count
            for line in range(1, lines.count + 1):
                if places := lines.places_of(line):
                    file, number = places[0]
                    assert found.ptx[module][line - 1] == found.sources[file][number]


def test_neighbouring_lines_differ(made):
    found = colored(made["sm_90-histogram.cu"], ".cu", ".cuh")
    for hues in found.sources.values():
        in_order = [hues[line] for line in sorted(hues)]
        assert all(one != other for one, other in pairwise(in_order))


def test_inlined_code_of_a_file_that_is_not_open_has_the_colour_of_the_call(made):
    histogram = made["sm_90-histogram.cu"]
    found = colored(histogram, "histogram.cu")
    kernel = histogram.function("histogram")
    for index in range(kernel.code_length):
        places = histogram.correlation.of_code(kernel, index).places
        file, line = next(place for place in places if place.file.endswith("histogram.cu"))
        assert found.code[kernel][index] == found.sources[file][line]


def test_a_call_whose_code_wears_other_colours_has_one_of_its_own(made):
    linked = made["sm_90-nested.cu"]
    found = colored(linked, "nested.cu")
    (hues,) = found.sources.values()
    calls = {place.line for place in linked.correlation.places}
    assert hues.keys() == calls


def test_ptx_without_a_source_is_coloured_by_its_own_lines(made):
    linked = made["sm_90-scale.ptx-ptx"]
    found = colored(linked)
    assert found.sources == {}
    for function, hues in found.code.items():
        module = linked.correlation.module_of(function)
        for index in range(function.code_length):
            line = linked.correlation.tied(function).starts[index]
            assert hues[index] == found.ptx[module][line - 1] != PLAIN


def test_what_fills_up_is_plain_and_code_without_a_line_is_marked(made):
    vector_add = made["sm_90-vector_add.cu"]
    (function,) = vector_add.correlation.code.functions
    hues = colored(vector_add, ".cu").code[function]
    assert set(hues[function.code_length :]) == {PLAIN}
    assert UNMAPPED not in hues
    bare = read_code(
        '\t.section\t.text.k,"ax",@progbits\n'
        "        /*0000*/                   EXIT ;\n"
        "        /*0010*/                   BRA `(.L_x_0);\n"
        "        /*0020*/                   NOP;\n"
    )
    (hues,) = line_hues(Correlation(bare, {}), lambda _: True).code.values()
    assert hues == bytes((UNMAPPED, UNMAPPED, PLAIN))
