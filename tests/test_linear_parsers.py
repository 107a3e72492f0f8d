"""What reads texts of users and tools in the window's own process takes linear time for any text.

Each reader is fed with texts of one character or a few, over and over; then with a megabyte of that
which took it longest. It may take so many times as long as going through the text character by
character.
"""

import random
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event

import pytest

from jitstudio.analysis.correlation.ir_lines import read_stage_lines
from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines
from jitstudio.analysis.diff.data import listed_data
from jitstudio.analysis.diff.model import bare_lines, compare_lines, ptx_lines
from jitstudio.analysis.ptx_cfg import ptx_graph
from jitstudio.analysis.reference import word_at
from jitstudio.analysis.sass.reading import read_code, read_live
from jitstudio.core.arch import Arch
from jitstudio.core.axes import parse_axis
from jitstudio.core.captured import KernelLanguage, Representation
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.diagnostics import diagnose
from jitstudio.core.explanations import explained
from jitstudio.core.ir_functions import ir_functions
from jitstudio.core.kernel_resources import read_verbose_log
from jitstudio.core.launch.arguments import parse_buffer
from jitstudio.core.launch.c_types import named
from jitstudio.core.launch.judging import judged
from jitstudio.core.launch.limits import target_of
from jitstudio.core.launch.request import LaunchConfig, LaunchRequest
from jitstudio.core.launch.result import LaunchOutcome, LaunchResult
from jitstudio.core.launch.texel_text import parse_texels
from jitstudio.core.launch.types import HandleKind
from jitstudio.core.launch.values import evaluate
from jitstudio.core.options import split_options
from jitstudio.core.project.format import load
from jitstudio.core.request import BuildRequest, with_name_expressions
from jitstudio.core.result import Artifact, BuildResult, Outcome
from jitstudio.core.source_facts import (
    enclosing_head,
    function_at,
    quoted_name,
    template_kernel,
)
from jitstudio.core.tools import Tool
from jitstudio.gui.state.file_text import line_changes, read_text
from jitstudio.listing.cuda.declarations import prepare
from jitstudio.listing.cuda.host_code import find_host_code
from jitstudio.listing.folds import blocks, folds, listing_outline
from jitstudio.listing.functions import functions
from jitstudio.listing.identifiers import identifiers, typed_name
from jitstudio.listing.includes import includes
from jitstudio.listing.kernel_names import DemangledListing, lowered_names, read_name
from jitstudio.listing.kernels.declared import llvm_signatures
from jitstudio.listing.line_classes import classify
from jitstudio.listing.ptx import kernel_uses, parameter_slots
from jitstudio.listing.sass import tightened
from jitstudio.listing.symbols import llvm_symbols, ptx_symbols
from jitstudio.numerics.expression_text import parse
from jitstudio.ptx.skimming import entries, ptx_target
from jitstudio.toolchain.supplied_copy import supplied_copy, supply_ptx
from jitstudio.worker.compute_sanitizer import findings
from tests.support import LEXERS

_SHORT, _LONG = 1 << 12, 1 << 20
# Times as long as the slowest sound reader takes, which makes an object of each character.
_AT_MOST = 60
_LAUNCH = LaunchRequest(b"", CodeKind.PTX, "k", "k", 0, (), 0, LaunchConfig())
_CODE = (CodeKind.PTX, CodeKind.SASS)


def _diagnosed(text: str) -> None:
    source = Source("k.cu", CodeKind.CUDA, text.encode())
    told = diagnose(Tool.NVRTC, "k.cu", ok=False, log=text, error_log=text, stderr=text)
    result = BuildResult(Outcome.FAILED, "sm_90", diagnostics=told[:100])
    explained(BuildRequest((source,)), result)


def _graph(text: str) -> None:
    lines = [".visible .entry k()", "{", *text.splitlines(), "}"]
    for function in functions(CodeKind.PTX, lines):
        ptx_graph(lines, function)


def _spelt(text: str) -> None:
    lines = text.splitlines()
    DemangledListing.of(lines, dict.fromkeys(lowered_names(lines), "f"))


def _mlir(*lines: str) -> None:
    read_stage_lines(Representation(KernelLanguage.MLIR, b""), lines)


def _source(kind: CodeKind, text: str) -> Source:
    return Source("k", kind, text.encode())


READERS: dict[str, Callable[[str], object]] = {
    "diagnostics": _diagnosed,
    "verbose log": read_verbose_log,
    "sanitizer": findings,
    "assertions": lambda t: judged(_LAUNCH, LaunchResult(LaunchOutcome.RAN, "k", console=t)),
    "file": lambda t: read_text(t.encode()),
    "line changes": lambda t: line_changes(t.splitlines(), t[1:].splitlines()),
    "project": lambda t: load(t.encode()),
    "options": split_options,
    "quoted name": quoted_name,
    "template kernel": template_kernel,
    "function at a line": lambda t: function_at(t, 1),
    "template of a kernel": lambda t: template_kernel(
        f"template <class T> __global__ void k(T a, {t}) {{ {t} }}"
    ),
    "head around a place": lambda t: enclosing_head(t, 1, None),
    "copy of LLVM IR": lambda t: supplied_copy("k.ll", f"{t}\ndefine".encode(), (2, 0, 3, 2)).code,
    "copy of PTX": lambda t: supply_ptx("k.ptx", f"{t}\n.entry".encode(), Arch(90)),
    "functions of LLVM IR": ir_functions,
    "call in LLVM IR": lambda t: ir_functions(f"define void @f() {{ {t}"),
    "metadata of LLVM IR": lambda t: ir_functions(f"!0 = !{{ @f {t}"),
    "target": ptx_target,
    "target of code": lambda t: target_of(Artifact(CodeKind.PTX, "k", t.encode())),
    "name expression": lambda t: with_name_expressions((_source(CodeKind.CUDA, t),), ("k<int>",)),
    "buffer": parse_buffer,
    "texture": lambda t: parse_texels(t, HandleKind.TEXTURE),
    "number": evaluate,
    "type": named,
    "axis": lambda t: parse_axis(f"a={t}", ()),
    "NumPy expression": lambda t: parse(t, ("a", "n")),
    "PTX blocks": lambda t: blocks(CodeKind.PTX, t.splitlines()),
    "SASS blocks": lambda t: blocks(CodeKind.SASS, t.splitlines()),
    "PTX classes": lambda t: classify(CodeKind.PTX, t.splitlines()),
    "SASS classes": lambda t: classify(CodeKind.SASS, t.splitlines()),
    "folds": lambda t: folds(CodeKind.CUDA, t),
    "PTX outline": lambda t: listing_outline(CodeKind.PTX, t.splitlines()),
    "PTX functions": lambda t: functions(CodeKind.PTX, t.splitlines()),
    "SASS functions": lambda t: functions(CodeKind.SASS, t.splitlines()),
    "PTX flow": _graph,
    "PTX lines": lambda t: read_ptx_lines(t.splitlines()),
    "MLIR lines": lambda t: _mlir(*t.splitlines()),
    "MLIR location": lambda t: _mlir(f'a loc("{t})'),
    "MLIR regions": lambda t: _mlir(*["} {"] * len(t)),
    "PTX entries": entries,
    "PTX parameters": lambda t: parameter_slots(f".visible .entry k({t}){{}}"),
    "PTX access": kernel_uses,
    "PTX symbols": ptx_symbols,
    "LLVM symbols": llvm_symbols,
    "LLVM kernels": lambda t: llvm_signatures(_source(CodeKind.LLVM_IR, t)),
    "LLVM parameters": lambda t: llvm_signatures(
        _source(CodeKind.LLVM_IR, f"define ptx_kernel void @k({t})")
    ),
    "CUDA text": lambda t: prepare(t.encode()),
    "CUDA condition": lambda t: prepare(b"#if " + t.encode()),
    "includes": lambda t: includes(t.encode()),
    "host code": lambda t: find_host_code(t.encode()),
    "launches": lambda t: find_host_code(
        f"template <class T> __global__ void k(T a) {{}}\nvoid f() {{ k<<<1, 1>>>({t}); }}".encode()
    ),
    "mangled names": _spelt,
    "kernel name": read_name,
    "tightened": lambda t: list(tightened(f"        {t}".splitlines())),
    "machine code": read_code,
    "live registers": read_live,
    "listed data": listed_data,
    "compared PTX": lambda t: compare_lines(ptx_lines(t), ptx_lines(t[1:])),
    "bare PTX": lambda t: bare_lines(t.splitlines()),
    **{
        f"{kind.value} {what}": read
        for kind in (CodeKind.CUDA, CodeKind.PTX, CodeKind.LLVM_IR)
        for what, read in {
            "identifiers": lambda t, kind=kind: identifiers(kind, t, Event()),
            "typed": lambda t, kind=kind: typed_name(kind, t),
        }.items()
    },
    **{
        f"{kind.value} word": lambda t, kind=kind: word_at(kind, f"{t} a", len(t) + 1)
        for kind in _CODE
    },
    **{
        f"{lexer.__name__} line": lambda t, lexer=lexer: lexer().lex_line(t.replace("\n", " "))
        for lexer in LEXERS
    },
}

# Characters and words that mean something to one reader or another.
_WORDS = (
    *" \t\n(){}[]<>\"'/*\\:;,.#%@$!^+-=_a0\0",
    *("_Z", "/*", "//", '\\"', "0x", "a ", ": ", "{\n", "\n\n", 'R"(', ").", "**", "1:", "(1"),
    *("define ", "template<", ".entry ", ".func(", ".param ", "namespace ", " error", "sizeof("),
    *("__has_include(<", "#if ", "#define a a\n", '//## File "', "/*0000*/", "_INTERNAL_", "::"),
    *("a,", "\n!1", "@a", "at ", " in ", ".target\n", "bytes ", "size_t ", "!nvvm", "\u202e", "é"),
)


def _texts(length: int) -> Iterator[tuple[str, str]]:
    draw = random.Random(12)
    pairs = {"".join(draw.sample(_WORDS, 2)) for _ in range(40)}
    triples = {"".join(draw.sample(_WORDS, 3)) for _ in range(40)}
    for word in (*_WORDS, *sorted(pairs), *sorted(triples)):
        yield word, word * (length // len(word))


class _TooLong(Exception):
    pass


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def interrupt(*_args: object) -> None:
        raise _TooLong

    previous = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


def _seconds(read: Callable[[str], object], text: str, limit: float) -> float:
    """How long a reader takes; that a text is none it says by a `ValueError`, and by no other."""
    start = time.process_time()
    with suppress(ValueError), _limited(limit):
        read(text)
    return time.process_time() - start


def _reference(length: int) -> float:
    text = "a" * length
    return _seconds(lambda t: [match[0] for match in re.finditer(".", t)], text, 60)


@pytest.mark.bench
@pytest.mark.parametrize("reader", READERS)
def test_a_reader_takes_linear_time(reader):
    read = READERS[reader]
    limit = _AT_MOST * _reference(_SHORT) + 0.5
    taken = {}
    for word, text in _texts(_SHORT):
        try:
            taken[word] = _seconds(read, text, limit)
        except _TooLong:
            pytest.fail(f"{len(text):,} characters of {word!r} take over {limit:.1f} s")
    worst = max(taken, key=taken.__getitem__)
    _seconds(read, worst * (_LONG // len(worst)), _AT_MOST * _reference(_LONG))
