"""Comments and strings that are put anywhere into a program change nothing of how it is read."""

import random
import re
from threading import Event

import pytest

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.cpp_text import bare_cpp
from jitstudio.listing.cuda.host_code import find_host_code
from jitstudio.listing.cuda.outline import code_alone
from jitstudio.listing.folds import folds
from jitstudio.listing.identifiers import identifiers
from jitstudio.listing.kernels.declared import declared_kernels
from tests.program_kernels import PROGRAMS
from tests.support import SAMPLES

# Each hides braces, quotes, and a kernel that there is not.
COMMENTS = [
    '// } { " __global__ void no(int);',
    "// it's \\\n} __global__ void no() { (",
    '/* } { "\n __global__ void no() { R"( ',
    "/** ' // */ /* \\ */",
]
STRINGS = [
    '"} { \\" // __global__ void no() {"',
    'R"(} " /* { __global__ void no() { )"',
    'u8R"x(\n} )" { // )x"',
    '"/*" "\'" "\\\n} {"',
]
CHARACTERS = ["'{'", "'\\''", "'\"'", "u8'}'", "1'000 + '\\x7d'"]
_TEXTS = sorted((*PROGRAMS.glob("*.cu"), *SAMPLES.glob("*.cu")))
# A line of a declaration that begins at the left: in no macro, no directive and no initialiser.
_DECLARATION = re.compile(r"^(?:__global__|template|extern|static|int main|struct|namespace)\b")
_DECOY = re.compile(r"static const \w+ \*?decoy_\d+ =[^;]*;")


def with_hidden(text, chance):
    """A text with decoys on lines of their own, and the line in it of each line of the text."""
    lines, places = [], []
    before = ""
    hidden = bare_cpp(text).split("\n")
    for line, bare in zip(text.split("\n"), hidden, strict=True):
        # What continues, and what is within a comment or a raw string, takes none before it.
        is_free = not before.rstrip().endswith("\\") and line.strip() and bare.strip()
        if is_free and chance.random() < 0.2:
            comment = chance.choice(COMMENTS)
            lines.append(f"{comment} {'*/' if comment.startswith('/* ') else ''}")
        if is_free and _DECLARATION.match(line) and not before.strip().endswith((",", ")", ">")):
            literal = chance.choice(STRINGS)
            lines.append(f"static const char *decoy_{len(lines)} = {literal};")
            lines.append(f"static const int decoy_{len(lines)} = {chance.choice(CHARACTERS)};")
        places.append(sum(part.count("\n") + 1 for part in lines))
        lines.append(line)
        before = line
    return "\n".join(lines), places


def kernels(text):
    source = Source("k.cu", CodeKind.CUDA, text.encode())
    forms = [kernel.signature() for kernel in declared_kernels(source)]
    return [(form.name, form.parameters, form.block_hint) for form in forms]


def code(text):
    """The words of the device code that is left of a program."""
    left = bare_cpp(find_host_code(text.encode(), with_launched=False).device_text.decode())
    return re.findall(r"\w+|[^\w\s]", _DECOY.sub("", left))


@pytest.mark.parametrize("path", _TEXTS, ids=lambda path: path.stem)
def test_what_is_hidden_changes_no_reading(path):
    text = path.read_text()
    chance = random.Random(path.name)
    changed, places = with_hidden(text, chance)
    assert changed.count("\n") > text.count("\n") or "\n" not in text
    pairs = {
        places[head]: places[last + 1] - 1 for head, last in folds(CodeKind.CUDA, text).items()
    }
    read = folds(CodeKind.CUDA, changed)
    assert {head: last for head, last in read.items() if head in pairs} == pairs
    names = identifiers(CodeKind.CUDA, changed, Event())
    own = identifiers(CodeKind.CUDA, text, Event()) | ({"static", "const", "char", "int"} & names)
    assert {name for name in names if not name.startswith("decoy_")} == own
    assert kernels(changed) == kernels(text)
    assert code(changed) == code(text)


@pytest.mark.parametrize(
    "text",
    [
        'int FOOR"(x"; call(); /* } */',
        'auto s = u8R"x(\n)" )x"; call();',
        "int n = 1'000; char c = '\"'; // it's",
        'puts("open); call();\ncall();',
        'auto s = R"(open; call();',
    ],
)
def test_both_readers_hide_the_same(text):
    """One leaves quotation marks, the other new lines."""
    code = code_alone(text.encode()).text.decode()
    blanks = str.maketrans('"\n', "  ")
    assert code.translate(blanks) == bare_cpp(text).translate(blanks)
