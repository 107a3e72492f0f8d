import re

import pytest
from pygments.token import Keyword, Name

from jitstudio.analysis.reference import UNKNOWN, Topic, reference, word_at
from jitstudio.analysis.sass.reading import CODE_OPTIONS
from jitstudio.core.code import CodeKind
from jitstudio.listing.lexers.plugins import PtxPlugin, SassPlugin
from tests.analysis.reference_kernels import KERNELS
from tests.sample_builds import TARGETS, builds
from tests.support import one_in, request

PTX, SASS = reference(CodeKind.PTX), reference(CodeKind.SASS)
BOTH = pytest.mark.parametrize("told", [PTX, SASS], ids=["ptx", "sass"])
LEXERS = {CodeKind.PTX: PtxPlugin, CodeKind.SASS: SassPlugin}
# Sections of the debugger's, whose contents are no code.
DATA = re.compile(r"\.section\s+\.debug.*", re.DOTALL)


def listings(tools, requests):
    for asked in requests:
        for artifact in tools.build(asked).artifacts:
            if artifact.kind is CodeKind.PTX:
                yield artifact.kind, artifact.text
            elif artifact.kind is CodeKind.CUBIN:
                yield CodeKind.SASS, tools.printed(artifact.content, *CODE_OPTIONS)


def sample_requests(target):
    return [build.request for build in builds(target)]


def kernel_requests(target):
    return [request(kernel, emit="ptx,cubin", arch=target) for kernel in KERNELS]


def words(kind, text):
    """Opcodes and directives, special registers, and how each stands there."""
    tokens = list(LEXERS[kind]().get_tokens(DATA.sub("", text)))
    for at, (token, value) in enumerate(tokens):
        if token is Keyword:
            rest = []
            for more, part in tokens[at + 1 :]:
                if not part.startswith(".") or more in Name.Label:
                    break
                rest.append(part)
            yield "".join((value, *rest)), True
        elif token in Keyword.Pseudo and not value.startswith((".nv", ".L_x", ".debug")):
            yield value, True
        elif token in Name.Builtin.Pseudo:
            yield value, False


@pytest.mark.parametrize(
    ("requests", "target"),
    [
        *((sample_requests, target) for target in TARGETS),
        *one_in(2, [(kernel_requests, target) for target in (*TARGETS, "sm_80", "sm_100")]),
    ],
)
def test_every_word_that_compilers_write_is_told_of(tools, target, requests):
    unknown, seen = set(), set()
    for kind, text in listings(tools, requests(target)):
        for word, opens in words(kind, text):
            seen.add((kind, word))
            if reference(kind).explain(word, opens=opens) is None:
                unknown.add((kind, word))
    assert unknown == set()
    assert {(CodeKind.PTX, "ret"), (CodeKind.PTX, ".entry"), (CodeKind.SASS, "EXIT")} <= seen
    assert any(word.startswith("%tid") for _, word in seen)
    assert any(word.startswith("SR_TID") for _, word in seen)


def test_far_more_instructions_are_told_of_than_the_samples_have(tools):
    met = {
        told.entry
        for kind, text in listings(tools, sample_requests("sm_90"))
        if kind is CodeKind.PTX
        for word, opens in words(kind, text)
        if (told := PTX.explain(word, opens=opens))
    }
    others = [e for e in PTX.entries if e.topic is Topic.INSTRUCTION and e not in met]
    assert len(others) >= 250
    assert len([e for e in SASS.entries if e.topic is Topic.INSTRUCTION]) >= 250


@BOTH
def test_texts_are_one_or_two_short_sentences(told):
    for entry in told.entries:
        assert re.fullmatch(r"\S.*[^.\s]\.", entry.text), entry
        assert len(entry.text) <= 175, entry
        assert len(re.findall(r"[.!?](?=\s+[A-Z])", entry.text)) <= 1, entry
        assert "{}" not in f"{entry.name} {entry.text} {entry.form} {entry.operands}", entry


@BOTH
def test_no_two_words_are_told_the_same(told):
    texts = [entry.text for entry in told.entries if entry.topic is Topic.INSTRUCTION]
    assert [text for text in texts if texts.count(text) > 1] == []
    names = [(entry.topic, entry.name) for entry in told.entries]
    assert len(set(names)) == len(names)


@BOTH
def test_the_operands_of_each_form_are_told(told):
    for entry in told.entries:
        if entry.topic is not Topic.INSTRUCTION:
            continue
        opcode, _, rest = entry.form.partition(" ")
        assert opcode.startswith(entry.name.partition(".")[0]), entry
        named = {name for names, _ in entry.operands for name in names.split(", ")}
        assert all(meaning for _, meaning in entry.operands), entry
        written = set(re.findall(r"(?<![\w.])[a-z]+\b", rest.replace("c[bank]", "[bank]")))
        if "..." not in rest:
            assert written == named, entry


def test_what_brought_a_word_is_a_version_and_a_target():
    for entry in (*PTX.entries, *SASS.entries):
        assert re.fullmatch(r"([1-9]\.\d)?", entry.version), entry
        for target in filter(None, entry.target.split(", ")):
            # Of a chip alone, of its family, or of both: sm_100a/f.
            assert re.fullmatch(r"sm_\d+(a|f|a/f)?", target), entry
    assert not any(entry.version for entry in SASS.entries)
    assert PTX.explain("cp.async.wait_all", opens=True).entry.version == "7.0"
    assert SASS.explain("LDGSTS", opens=True).entry.target == "sm_80"


@pytest.mark.parametrize(
    ("word", "name", "modifiers"),
    [
        ("add.s32", "add", [".s32"]),
        ("ld.global.nc.v2.f64", "ld.global.nc", [".v2", ".f64"]),
        ("atom.relaxed.gpu.global.add.u32", "atom.add", [".relaxed", ".gpu", ".global", ".u32"]),
        ("mad.lo.cc.u32", "mad.lo.cc", [".u32"]),
        ("mul.wide.s32", "mul.wide", [".s32"]),
        ("cvt.rn.f16x2.f32", "cvt.f16x2.f32", [".rn"]),
        ("cvt.rn.f16x2.e4m3x2", "cvt.f16x2.e4m3x2", [".rn"]),
        ("shfl.sync.bfly.b32", "shfl.sync.bfly", [".b32"]),
        ("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group", "cp.async.bulk.tensor", None),
        ("tcgen05.wait::ld.sync.aligned", "tcgen05.wait::ld", [".sync", ".aligned"]),
        ("mbarrier.future.b64", "mbarrier", [".b64"]),
        ("sin.approx.ftz.2pi.f32", "sin.2pi", [".approx", ".ftz", ".f32"]),
        ("add.rn.f32.f16", "add.f32.f16", [".rn"]),
        ("wgmma.mma_async.sync.aligned.m64n96k16.f32.f16.f16", "wgmma.mma_async", None),
        ("spdecompress.b8.b2.sp::2:4.x2", "spdecompress", [".b8", ".b2", ".sp::#:#", ".x2"]),
    ],
)
def test_an_opcode_of_ptx_is_known_by_most_of_its_parts(word, name, modifiers):
    told = PTX.explain(word, opens=True)
    assert told.entry.name == name
    if modifiers is not None:
        assert [entry.name for entry in told.modifiers] == modifiers


@pytest.mark.parametrize(
    ("word", "name", "modifiers"),
    [
        ("LDG.E.64.CONSTANT", "LDG.CONSTANT", [".E", ".64"]),
        ("IMAD.WIDE.U32", "IMAD.WIDE", [".U32"]),
        ("MUFU.RCP", "MUFU.RCP", []),
        ("MUFU.FUTURE", "MUFU", []),
    ],
)
def test_an_opcode_of_sass_too(word, name, modifiers):
    told = SASS.explain(word, opens=True)
    assert (told.entry.name, [entry.name for entry in told.modifiers]) == (name, modifiers)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("sin.approx.ftz.halfturns.f32", (".halfturns",)),
        ("mbarrier.future.b64", (".future",)),
        ("tcgen05.ld.sync.aligned.16x32bx2.x1.b32", ()),
        ("MUFU.FUTURE", (".FUTURE",)),
        ("add.", ()),
        # Names in the form of the row, of a part or an operand, are no parts.
        ("add.rnd.f32", (".rnd",)),
        ("add.type", (".type",)),
        ("cp.async.cg.16", (".16",)),
    ],
)
def test_a_part_that_no_table_has_is_said_to_be_unknown(word, parts):
    told = (PTX if word.islower() else SASS).explain(word, opens=True)
    assert told.unknown == parts
    _, rows = told.tables
    assert [part for part, text in rows if text == UNKNOWN] == [*parts]


def test_an_unknown_part_may_be_newer_than_the_instruction():
    known, newer = (
        PTX.explain(f"cvt.rn.satfinite.{part}e4m3x2.f32", opens=True) for part in ("", "pzo.")
    )
    assert known.entry.since() == "PTX 8.1, sm_89 and later"
    assert (newer.unknown, newer.entry.since()) == ((".pzo",), "")


def test_a_ratio_is_a_part_of_an_opcode_and_a_label_is_not():
    line = "L1: spdecompress.b8.b2.sp::2:4.x2 {%r1, %r2}, {%r3}, {%r4};"
    found = word_at(CodeKind.PTX, line, 10)
    assert (found.text, found.opens) == ("spdecompress.b8.b2.sp::2:4.x2", True)


def test_registers_are_known_by_name_or_by_kind():
    assert PTX.explain("%tid.x").entry.text.endswith("along x; threadIdx.x.")
    assert PTX.explain("%envreg12").entry.name == "%envreg#"
    assert PTX.explain("%rd").entry.name == PTX.explain("%rd7").entry.name == "%rd#"
    assert SASS.explain("R1").entry.name == "R1"
    told = SASS.explain("R12.64.reuse")
    assert told.entry.name == "R#"
    assert [entry.name for entry in told.modifiers] == [".64", ".reuse"]


def test_a_word_may_be_a_directive_or_a_modifier():
    assert PTX.explain(".global", opens=True).entry.topic is Topic.DIRECTIVE
    assert PTX.explain(".global").entry.topic is Topic.MODIFIER
    assert PTX.explain(".align").entry.topic is Topic.DIRECTIVE
    assert PTX.explain(".b32").entry.topic is Topic.TYPE


@pytest.mark.parametrize("word", ["", ".", "..", "vector_add", "add..", "%", "ld.", "::", "#"])
@BOTH
def test_other_words_are_no_error(told, word):
    for opens in (False, True):
        answer = told.explain(word, opens=opens)
        assert answer is None or answer.entry in told.entries


def test_other_kinds_of_text_have_no_reference():
    assert reference(CodeKind.CUDA).entries == ()
    assert reference(CodeKind.CUDA).explain("add", opens=True) is None
