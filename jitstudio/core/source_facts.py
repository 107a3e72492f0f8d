"""Facts about CUDA C++, LLVM IR and PTX that explanations need.

It is read as a person skims, not as a compiler parses: each function answers None where it is not
sure, and then there is no fix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from jitstudio.core.cpp_text import bare_cpp
from jitstudio.core.diagnostics import start_of_line
from jitstudio.ptx.skimming import ptx_target as ptx_target

_DIRECTIVE = re.compile(r"^[ \t]*+#(?>[^\n\\]|\\.)*+", re.MULTILINE | re.DOTALL)
_INSIDE = re.compile(r"[^\n]")
_HEAD = re.compile(r"[^;{}]++")
_TEMPLATE = re.compile(r"\btemplate\s*+<")
_GLOBAL = re.compile(
    r">\s*+(?>(?:static|inline|void|__launch_bounds__\s*+\([^()]*+\))\s++)*+__global__\b"
)
_FUNCTION_NAME = re.compile(
    r"\b(?!__launch_bounds__|__cluster_dims__|__block_size__|__maxnreg__)([a-zA-Z_]\w*+)\s*+\("
)
_TEMPLATE_NAME = re.compile(r'function template "(?>\w++::)*+(\w++)')
_SCOPE = re.compile(r"\b(?:inline\s++)?namespace(?>\s++(?P<name>\w[\w:]*+))?+\s*+\{|[{}]")
# The first that fits decides the argument that a template is tried with; for a type that none
# does, what is done with its values.
_ARGUMENTS = (
    (re.compile(r"(?:typename|class)\s*+\.\.\.\s*+\w*"), "float"),
    (re.compile(r"bool\b.*"), "true"),
    (
        re.compile(
            r"(?>(?:unsigned|signed|int|long|short|char|auto|\w+_t)\b\s*+)++(?>\.\.\.)?+\s*+\w*"
        ),
        "32",
    ),
)
_TYPE = re.compile(r"(?:typename|class)\s++(\w++)")
_COUNTER = re.compile(r"\batomic(?:Inc|Dec)\w*+\s*+\(")
_WHOLE = re.compile(r"\batomic(?:And|Or|Xor|Min|Max)\w*+\s*+\(|\b__(?:popc|clz|ffs|brev)\w*+\s*+\(")
_LONGEST_FUNCTION = 1 << 16
_MOST_VALUES = 32
_BRACE = re.compile(r"[{}]")
_NOT_BLANK = re.compile(r"[^\s;#]")
_END = re.compile(r"[(){;#]")
_BOUNDARY = re.compile(r"[{};]")
_DEVICE = re.compile(r"\b__(?:global|device)__\b")
_ACCESS = re.compile(r"\b(?:public|private|protected)\s*+:(?!:)")
_BRANCH = re.compile(r"^[ \t]*+#[ \t]*+(if|el|endif)", re.MULTILINE)
_NO_FUNCTION = re.compile(r"\b(?:namespace|class|struct|union|enum)\b|\bextern\s*+$")
_LINE_NAME = re.compile(
    r'^[ \t]*#[ \t]*(?:line[ \t]+)?\d+[ \t]+"(?P<name>(?:\\.|[^"\\\n])*)"', re.MULTILINE
)


def quoted_name(text: str) -> str | None:
    """Returns the first name with a quotation mark inside that a ``#line`` of CUDA C++ gives."""
    names = (match["name"].replace('\\"', '"') for match in _LINE_NAME.finditer(text))
    return next((name for name in names if '"' in name), None)


def template_kernel(text: str, message: str = "") -> str | None:
    """Returns a name expression for a kernel template, as ``ns::scale<float>``.

    Args:
        text: CUDA C++.
        message: What NVRTC says of a template that it names; where it names none, it is the first.
    """
    named = _TEMPLATE_NAME.search(message)
    wanted = named[1] if named else None
    code = bare_cpp(text)
    kernels = (_kernel_head(code, head) for head in _HEAD.finditer(code))
    fitting = (kernel for kernel in kernels if kernel and wanted in (None, kernel[2]))
    start, parameters, name = next(fitting, (0, "", ""))
    if not name:
        return None
    region = code[start : start + _LONGEST_FUNCTION]
    region = region[: _end_of_braces(region, 0) or len(region)]
    arguments = []
    for parameter in split_at_commas(parameters):
        if "=" in parameter:
            break  # it has a default, and so have all behind it
        argument = next((a for form, a in _ARGUMENTS if form.fullmatch(parameter)), None)
        if (kind := _TYPE.fullmatch(parameter)) is not None:
            argument = _type_argument(kind[1], region)
        if argument is None:
            return None
        arguments.append(argument)
    scope = "".join(f"{name}::" for name in _namespaces(code[:start]))
    return f"{scope}{name}<{', '.join(arguments)}>"


def _type_argument(name: str, function: str) -> str | None:
    """Returns a type to try a template with; None where only a type of the user's will do."""
    if re.search(rf"\b{name}\s*+(?:::|\{{)|\btypename\s++{name}\b(?=\s*+::)", function):
        return None  # a class with members
    declared = rf"\b{name}\b[\s*&]*+(?>const\b|__restrict__\b|[\s*&])*+([a-zA-Z_]\w*+)"
    values = "|".join([*dict.fromkeys(re.findall(declared, function))][:_MOST_VALUES])
    if not values:
        return "float"
    value = rf"\b(?:{values})\b"
    if re.search(rf"{value}\s*+(?:\(|\.\s*+[a-zA-Z_]|->)", function):
        return None  # called, or a class with members
    if _COUNTER.search(function):
        return "unsigned int"
    element = rf"{value}(?>\[[^][\n]*+\])*+"
    before = rf"{element}\s*+(?:%|<<|>>|\^|\|(?!\|)|&(?!&))"
    behind = rf"(?:%|<<|>>|\^|~)=?+\s*+{value}|\[\s*+{value}\s*+\]"
    whole = _WHOLE.search(function) or re.search(f"{before}|{behind}", function)
    return "int" if whole else "float"


def _kernel_head(code: str, head: re.Match[str]) -> tuple[int, str, str] | None:
    """Returns start, template parameters and name of a head; None for no kernel's head."""
    end = head.end()
    if (template := _TEMPLATE.search(code, head.start(), end)) is None:
        return None
    if (kernel := _GLOBAL.search(code, template.end(), end)) is None:
        return None
    if (name := _FUNCTION_NAME.search(code, kernel.end(), end)) is None:
        return None
    return template.start(), code[template.end() : kernel.start()], name[1]


def _namespaces(before: str) -> list[str]:
    """Returns the named namespaces that are open at the end of this code."""
    open_braces: list[str] = []
    for match in _SCOPE.finditer(before):
        if match[0] == "}":
            del open_braces[-1:]
        else:
            open_braces.append(match["name"] or "")
    return [name for name in open_braces if name]


class HostFunction(NamedTuple):
    """A function of the host, or a declaration.

    Attributes:
        text: All of it, with what stands before its name.
        line: Where that begins, from 1.
        hidden: The same, out of NVRTC's sight.
    """

    text: str
    line: int
    hidden: str


def function_at(text: str, line: int | None, column: int | None = None) -> HostFunction | None:
    """Returns the C++ function whose name is at this place, or the first on the line.

    None where it has no end, where `#if` makes two of it, and where code for the GPU is in it.
    """
    if line is None:
        return None
    at = start_of_line(text, line) + (column or 1) - 1
    code = bare_cpp(text[: at + _LONGEST_FUNCTION])
    # A directive ends what is before it, and is looked at no further.
    code = _DIRECTIVE.sub(lambda match: "#" + _INSIDE.sub(" ", match[0][1:]), code)
    name = _NOT_BLANK.search(code, at)
    if name is None:
        return None
    before = max(code.rfind(mark, 0, name.start()) for mark in ";{}#") + 1
    before = max([before, *(m.end() for m in _ACCESS.finditer(code, before, name.start()))])
    first = _NOT_BLANK.search(code, before)
    end = _end_of_function(code, name.start())
    if first is None or end is None:
        return None
    start, function = first.start(), text[first.start() : end]
    branches = [branch[1] for branch in _BRANCH.finditer(function)]
    unsure = "el" in branches or branches.count("if") != branches.count("endif")
    if unsure or _DEVICE.search(code, start, end):
        return None
    head = text[text.rfind("\n", 0, start) + 1 : start]
    tail = text[end:].partition("\n")[0]
    hidden = f"#ifndef __CUDACC_RTC__\n{function}\n#endif"
    # A directive has its line to itself.
    hidden = ("\n" if head.strip() else "") + hidden + ("\n" if tail.strip() else "")
    return HostFunction(function, text.count("\n", 0, start) + 1, hidden)


def _end_of_function(code: str, at: int) -> int | None:
    """Returns the end of the function whose head is here: behind the braces, or the semicolon."""
    depth = 0
    for mark in _END.finditer(code, at):
        depth += {"(": 1, ")": -1}.get(mark[0], 0)
        if mark[0] == "#":
            return None
        if depth == 0 and mark[0] == ";":
            return mark.end()
        if depth == 0 and mark[0] == "{":
            return _end_of_braces(code, mark.start())
    return None


def _end_of_braces(code: str, at: int) -> int | None:
    """Returns where the first braces from here on end; None where they do not."""
    depth = 0
    for brace in _BRACE.finditer(code, at):
        depth += 1 if brace[0] == "{" else -1
        if depth <= 0:
            return brace.end() if depth == 0 else None
    return None


def enclosing_head(text: str, line: int | None, column: int | None) -> str | None:
    """Returns the text before the braces of the function that a place is in.

    Args:
        text: CUDA C++.
        line: The line, from 1.
        column: The character, from 1; the end of the line where it is not known.
    """
    if line is None:
        return None
    start = start_of_line(text, line)
    at = start + column - 1 if column else start + len(text[start:].partition("\n")[0])
    code = bare_cpp(text[:at])
    heads: list[str] = []
    before = 0
    for mark in _BOUNDARY.finditer(code):
        if mark[0] == "{":
            heads.append(code[before : mark.start()])
        elif mark[0] == "}":
            del heads[-1:]
        before = mark.end()
    return next((head for head in heads if not _NO_FUNCTION.search(head)), None)


def split_at_commas(listed: str) -> Iterator[str]:
    """Yields the parts between the commas that are in no bracket."""
    depth, part = 0, ""
    for character in f"{listed},":
        depth += {"(": 1, "<": 1, "{": 1, "[": 1}.get(character, 0)
        depth -= {")": 1, ">": 1, "}": 1, "]": 1}.get(character, 0)
        if character == "," and depth == 0:
            if part.strip():
                yield part.strip()
            part = ""
        else:
            part += character


CONSTANTS = {
    "M_E": "2.7182818284590452354",
    "M_LOG2E": "1.4426950408889634074",
    "M_LOG10E": "0.43429448190325182765",
    "M_LN2": "0.69314718055994530942",
    "M_LN10": "2.30258509299404568402",
    "M_PI": "3.14159265358979323846",
    "M_PI_2": "1.57079632679489661923",
    "M_PI_4": "0.78539816339744830962",
    "M_1_PI": "0.31830988618379067154",
    "M_2_PI": "0.63661977236758134308",
    "M_2_SQRTPI": "1.12837916709551257390",
    "M_SQRT2": "1.41421356237309504880",
    "M_SQRT1_2": "0.70710678118654752440",
}
"""Those of <math.h>: IEEE Std 1003.1 (POSIX), "<math.h>"."""
ALIASES = {
    "uint": "unsigned int",
    "ushort": "unsigned short",
    "uchar": "unsigned char",
    "ulong": "unsigned long",
}
"""Types that host compilers have from headers of the system."""
_UNDEFINED = re.compile(r'identifier "(\w++)" is undefined')
_ALIAS = re.compile(rf"\b(?:{'|'.join(ALIASES)})\b")
_NO_MEMBER = re.compile(r'namespace "std" has no member "(\w++)"')


def missing_name(message: str, line: str) -> str | None:
    """Returns the name that NVRTC does not know, or the first doubtful type of the line."""
    if undefined := _UNDEFINED.search(message):
        return undefined[1]
    alias = _ALIAS.search(line)
    return alias[0] if alias else None


def std_name(message: str, line: str) -> str | None:
    """Returns the name in std that NVRTC misses, as written, with the character before the name."""
    member = _NO_MEMBER.search(message)
    written = member and re.search(rf"(?:^|[^\w:])std\s*+::\s*+{member[1]}\b", line)
    return written[0] if written else None


TRIED = re.compile(
    r"With --device-as-default-execution-space it (compiles|has \d++ errors? instead of \d++)"
)
LLVM_READ = re.compile(r"this libNVVM reads LLVM (\d++)")
_REFUSED_ATTRIBUTE = re.compile(r"': (\w++) function attribute is not supported")


def first(pattern: re.Pattern[str], text: str) -> str | None:
    """Returns the first group where the pattern is found first."""
    match = pattern.search(text)
    return match[1] if match else None


# `call void bitcast (void (i8*, i8, i64, i1)* @llvm.memset.p0i8.i64 to void (…)*)(i8* %p, …)`
_MEMORY_CAST = re.compile(
    # Not beyond the next cast, so that each place is looked at once.
    r"bitcast \((?>[^@\nb]|b(?!itcast \()){0,999}+(?P<name>@llvm\.mem(?:set|cpy|move)\.[\w.]++) to "
    r"[^@%\n]{0,999}?\*\)\s*+"
    r"\((?P<arguments>(?>[^()\n]|\([^()\n]*+\))*+)\)"
)
_MEMORY_ARGUMENTS = 5


def memory_call(line: str) -> tuple[str, str] | None:
    """Returns a call of memset, memcpy or memmove through a bitcast, and the call without.

    Before LLVM 7 they had the alignment as the fourth of five parameters: LLVM 7 Release Notes,
    "Changes to the LLVM IR". It becomes an attribute of the address.
    """
    call = _MEMORY_CAST.search(line)
    arguments = list(split_at_commas(call["arguments"])) if call else []
    align = arguments[3].partition("i32 ")[2] if len(arguments) == _MEMORY_ARGUMENTS else ""
    if call is None or not align.isdecimal():
        return None
    del arguments[3]
    if int(align):
        type_, _, address = arguments[0].rpartition(" ")
        arguments[0] = f"{type_} align {align} {address}"
    return call[0], f"{call['name']}({', '.join(arguments)})"


def refused_attribute(message: str, text: str) -> tuple[str, str] | None:
    """Returns the attribute of a function in LLVM IR that libNVVM refuses, and the line."""
    refused = _REFUSED_ATTRIBUTE.search(message)
    if refused is None:
        return None
    written = re.compile(rf"\s{refused[1]}(?:\([^()\n]*+\))?(?=[\s{{}}]|$)")
    for number, line in enumerate(text.split("\n"), 1):
        if match := written.search(line.partition(";")[0]):
            return match[0], str(number)
    return None
