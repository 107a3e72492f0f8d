import time
from itertools import chain

import pytest

from jitstudio.analysis.correlation.index import Correlation, Matches
from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines
from jitstudio.analysis.sass.model import Disassembly, SourceLocation
from jitstudio.analysis.sass.reading import read_code
from tests.analysis.correlation.kernels import NESTED, NESTED_NAME
from tests.support import SAMPLES, one_in


def place(made, file, text):
    """The line of a source that holds a text, as the line tables call it."""
    (line,) = (n for n, one in enumerate(_lines(file), 1) if text in one)
    (name,) = {p.file for p in made.correlation.places if p.file.endswith(file)}
    return SourceLocation(name, line)


def _lines(file):
    text = NESTED if file == NESTED_NAME else (SAMPLES / file).read_text()
    return text.split("\n")


def instructions(matches):
    return [f[index].text for f, indices in matches.code.items() for index in indices]


def ptx(made, matches):
    return [made.texts[name][line - 1] for name, lines in matches.ptx.items() for line in lines]


@pytest.mark.parametrize("target", one_in(3, ["sm_75", "sm_90", "sm_120"]))
def test_lto_shows_what_was_inlined_and_from_where(made, target):
    """The line of `user_transform` inside `apply_transform`, and the line of the call."""
    linked = made[f"{target}-apply_transform.cu-lto"]
    product = place(linked, "user_transform.cu", "value * value + 1.0f")
    call = place(linked, "apply_transform.cu", "out[i] = user_transform(in[i])")
    kernel = linked.function("apply_transform")

    found = linked.correlation.of_place(product)
    assert list(found.code) == [kernel]
    (fused,) = instructions(found)
    assert fused.startswith("FFMA ")
    (multiplied,) = ptx(linked, found)
    assert multiplied.strip().startswith("fma.rn.f32")

    (index,) = found.code[kernel]
    back = linked.correlation.of_code(kernel, index)
    assert back.places == (product, call)
    assert ptx(linked, back) == [multiplied]
    assert linked.correlation.callee(back.places) == "user_transform"
    assert linked.correlation.callee(back.places[1:]) == ""

    of_call = instructions(linked.correlation.of_place(call))
    assert fused in of_call
    assert any(text.startswith("STG") for text in of_call)


def test_a_link_by_ptx_knows_the_module_of_each_function(made):
    linked = made["sm_90-apply_transform.cu-ptx"]
    names = {f.name: linked.correlation.module_of(f) for f in linked.correlation.code.functions}
    assert names == {
        "apply_transform": "apply_transform.cu",
        "user_transform": "user_transform.cu",
    }
    product = place(linked, "user_transform.cu", "value * value + 1.0f")
    found = linked.correlation.of_place(product)
    assert list(found.ptx) == ["user_transform.cu"]
    assert [f.name for f in found.code] == ["user_transform"]
    call = place(linked, "apply_transform.cu", "out[i] = user_transform(in[i])")
    assert any("CALL" in text for text in instructions(linked.correlation.of_place(call)))
    assert "\tuser_transform, " in ptx(linked, linked.correlation.of_place(call))


def test_ptx_that_is_the_source_is_tied_by_its_own_lines(made):
    linked = made["sm_90-scale.ptx-ptx"]
    lines = _lines("multiply.ptx")
    (line,) = (n for n, text in enumerate(lines, 1) if "mul.f32" in text)
    found = linked.correlation.of_ptx("multiply.ptx", line)
    assert found.places == ()
    assert instructions(found) == ["FMUL R4, R4, R5"]
    (function,) = found.code
    assert linked.correlation.of_code(function, 0).ptx == {"multiply.ptx": range(line, line + 1)}


def test_a_chain_of_calls_is_the_same_in_ptx_and_sass(made):
    nested = made[f"sm_90-{NESTED_NAME}"]
    inner = place(nested, NESTED_NAME, "return v * v")
    kernel = nested.function("nested")
    found = nested.correlation.of_place(inner)
    chains = {nested.correlation.of_code(kernel, index).places for index in found.code[kernel]}
    depths = sorted(len(places) for places in chains)
    assert depths[0] == 2
    assert depths[-1] == 4
    deepest = next(places for places in chains if len(places) == 4)
    names = [nested.correlation.callee(deepest[n:]) for n in range(4)]
    assert names == ["_Z5innerf", "_Z6middlef", "_Z5outerf", ""]


def test_a_header_in_memory_is_a_source_like_others(made):
    histogram = made["sm_90-histogram.cu"]
    added = place(histogram, "atomic_ops.cuh", "atomicAdd(bin, 1u)")
    found = histogram.correlation.of_place(added)
    assert any("ATOMS" in text for text in instructions(found))
    assert any("atom.shared" in text for text in ptx(histogram, found))
    (function,) = found.code
    call = histogram.correlation.of_code(function, found.code[function][0]).places[1]
    assert call == place(histogram, "histogram.cu", "count(&local[data[i]])")


def test_debug_metadata_of_llvm_ir_leads_to_the_file_it_names(made):
    adds = made["sm_90-adds.ll"]
    found = adds.correlation.of_place(SourceLocation("/src/adds.py", 5))
    assert any(text.startswith("IADD3") for text in instructions(found))
    assert [text.split()[0] for text in ptx(adds, found)] == ["add.s32"]


def all_codes(one):
    for function in one.correlation.code.functions:
        for index in range(function.code_length):
            yield function, index, one.correlation.of_code(function, index)


def test_at_least_98_of_100_instructions_map_where_nvdisasm_gives_a_line(made):
    for one in made.values():
        codes = list(all_codes(one))
        given = [function.ptx_lines[index] > 0 for function, index, _ in codes]
        assert sum(bool(found.ptx) for _, _, found in codes) >= 0.98 * sum(given) > 0, one.name
        knows_source = any(one.correlation.places)
        assert knows_source == (not one.name.endswith(".ptx-ptx"))
        with_source = sum(bool(found.places) for _, _, found in codes)
        assert with_source >= 0.98 * len(codes) * knows_source, one.name


def test_at_least_98_of_100_instructions_of_ptx_have_a_line_of_a_source(made):
    for one in made.values():
        if not any(one.correlation.places):
            continue
        for name, lines in one.correlation.modules.items():
            code = [
                line
                for function in lines.functions
                for line in range(function.line + 1, function.end + 1)
                if one.texts[name][line - 1].strip().endswith(";")
                and not one.texts[name][line - 1].strip().startswith((".", "//"))
                and lines.statement(line).start == line
            ]
            found = sum(bool(lines.places_of(line)) for line in code)
            assert found >= 0.98 * len(code) > 0, (one.name, name)


def test_what_ptx_and_sass_tell_of_an_instruction_is_the_same(made):
    """nvdisasm reads the cubin's tables, we read the PTX: both are one story."""
    told = other = 0
    for one in made.values():
        for _, _, matches in all_codes(one):
            for name, lines in matches.ptx.items():
                by_ptx = one.correlation.modules[name].places_of(lines.start)
                # Where a location is line 0, the table of the cubin lets the one before run on.
                if by_ptx:
                    told += 1
                    other += by_ptx != matches.places
    assert told > 1000
    assert other == 0


def test_all_directions_agree(made):
    for one in made.values():
        for function, index, matches in all_codes(one):
            for found in matches.places:
                assert index in one.correlation.of_place(found).code[function]
            for name, lines in matches.ptx.items():
                for line in lines:
                    assert index in one.correlation.of_ptx(name, line).code[function]
        for name, lines in one.correlation.modules.items():
            for line in range(1, lines.count + 1):
                matches = one.correlation.of_ptx(name, line)
                for found in matches.places:
                    assert line in one.correlation.of_place(found).ptx[name]
                for function, indices in matches.code.items():
                    for index in indices:
                        assert line in one.correlation.of_code(function, index).ptx[name]


SASS = """\
	.section	.text.{name},"ax",@progbits
	.type	{name},@function
{name}:
.text.{name}:
	//## File "/src/k.cu", line 3
	//## File ".nv_debug_ptx_txt{table}", line {line}
        /*0000*/                   MOV R1, R2 ;                /* 0x0000000000000000 */
                                                               /* 0x0000000000000000 */
"""
TEXT = ".visible .func {name}()\n{{\nmov.b32 %a, %b;\n}}\n"


def tied(*functions, **modules):
    """Functions as (name, table, line), modules as the names of what they define."""
    listing = "".join(SASS.format(name=n, table=t, line=line) for n, t, line in functions)
    texts = {
        name: read_ptx_lines("".join(TEXT.format(name=n) for n in defined.split()).split("\n"))
        for name, defined in modules.items()
    }
    correlation = Correlation(read_code(listing), texts)
    return [correlation.module_of(function) for function in correlation.code.functions]


def test_the_module_is_the_one_that_defines_the_function():
    assert tied(("f", ".1", 3), ("g", ".2", 3), a="f", b="g") == ["a", "b"]
    assert tied(("f", ".1", 3), a="g") == [""]


def test_a_function_of_two_modules_is_of_the_one_with_the_same_table():
    assert tied(("f", ".1", 3), ("s", ".1", 7), ("g", ".2", 3), a="f s", b="g s") == ["a", "a", "b"]
    assert tied(("s", ".3", 3), a="f s", b="g s") == [""]


def test_a_line_that_the_ptx_does_not_have_is_none():
    listing = read_code(SASS.format(name="f", table="", line=40))
    texts = {"a": read_ptx_lines(TEXT.format(name="f").split("\n"))}
    correlation = Correlation(listing, texts)
    (function,) = listing.functions
    assert correlation.tied(function).starts.tolist() == [0]
    assert correlation.of_code(function, 0) == Matches(
        (SourceLocation("/src/k.cu", 3),), {}, {function: (0,)}
    )


def test_what_is_not_known_has_no_counterparts():
    correlation = Correlation(Disassembly("sm_90", ()), {})
    assert not correlation.of_place(SourceLocation("/src/k.cu", 3))
    assert not correlation.of_ptx("k.cu", 1)


COUNT = 100_000


@pytest.mark.bench
def test_a_cursor_is_followed_within_16_ms_in_100_000_instructions():
    """Also on a line that all of it comes from."""
    rows = [
        '\t.section\t.text.k,"ax",@progbits',
        "\t.type\tk,@function",
        "k:",
        ".text.k:",
        *chain.from_iterable(
            (
                f'\t//## File "/src/k.cuh", line {n % 997 + 1} inlined at "/src/k.cu", line 7',
                '\t//## File "/src/k.cu", line 7',
                f'\t//## File ".nv_debug_ptx_txt", line {n + 4}',
                f"        /*{16 * n:04x}*/                   IADD3 R1, R2, R3, {n} ;",
            )
            for n in range(COUNT)
        ),
    ]
    text = [".entry k()", "{", ".loc 1 7 0", *["add.s32 %a, %b, %c;"] * COUNT, "}"]
    text.append('.file 1 "/src/k.cu"')
    correlation = Correlation(read_code("\n".join(rows)), {"k.cu": read_ptx_lines(text)})
    (function,) = correlation.code.functions
    slowest = []
    for ask, args in (
        (correlation.of_place, (SourceLocation("/src/k.cu", 7),)),
        (correlation.of_place, (SourceLocation("/src/k.cuh", 5),)),
        (correlation.of_ptx, ("k.cu", COUNT // 2)),
        (correlation.of_code, (function, COUNT // 2)),
    ):
        times = []
        for _ in range(5):
            start = time.process_time()
            assert ask(*args)
            times.append(time.process_time() - start)
        slowest.append(min(times))
    assert max(slowest) < 0.016
    assert len(correlation.of_place(SourceLocation("/src/k.cu", 7)).code[function]) == COUNT
