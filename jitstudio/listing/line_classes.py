"""Classes of the lines of a PTX or SASS text, so that a view may leave lines out.

A line is taken for what can be left out only where the whole of it is known to be just that:
instructions, labels, heads of functions, braces of code and all that is odd count as code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from jitstudio.core.code import CodeKind
from jitstudio.listing.lines import LineClass


def classify(kind: CodeKind, lines: Sequence[str]) -> bytes:
    """Returns the `LineClass` of each line of a listing, a byte for each."""
    make_reader = _READERS.get(kind)
    return bytes(len(lines)) if make_reader is None else bytes(map(make_reader(lines), lines))


# Possessive repeats keep every match linear: lines can be megabytes long.
_COMMENT_OR_STRING = re.compile(r'"[^"]*+"?|//.*|/\*(?>.*?\*/)|/\*.*')


def _without_comments(line: str, in_comment: bool) -> tuple[str, bool]:
    """Returns a line without comments, and whether a comment is open at the end."""
    at = 0
    if in_comment:
        end = line.find("*/")
        if end < 0:
            return "", True
        at = end + 2
    pieces: list[str] = []
    for match in _COMMENT_OR_STRING.finditer(line, at):
        part = match[0]
        if part[0] == '"':
            continue
        pieces.append(line[at : match.start()])
        at = match.end()
        if part[1] == "*" and (len(part) < 4 or not part.endswith("*/")):
            return " ".join(pieces), True
    return " ".join([*pieces, line[at:]]), False


_HEAD = re.compile(r"\.(?:entry|func)\b")
_PTX_LABEL = re.compile(r"[\w$%.]++\s*+:")
_NAME = r"[%$\w]++"
# In an initialiser, a bare word is followed by another or by the end: `ret` is an instruction.
_NUMBER = r"[-+]?\d[\w.]*+(?=[\s,}]|\Z)"
_WORD = rf"{_NAME}(?>\({_NAME}\))?(?>\s*+\+\s*+\d++)?(?=\s*+[,}}])"
_DATA = rf"(?>(?>[{{}},]|{_NUMBER}|{_WORD})\s*+)++"
_VARIABLE = rf"{_NAME}(?><\d++>)?\s*+(?>\[[\w\s]*+\]\s*+)*+"
_DECLARATION = (
    r"(?=\.(?:extern|visible|weak|common|reg|sreg|local|shared|global|const|param|tex)\b)"
    r"(?>\.[a-z][\w:]*+(?>\s++\d++(?=\s))?(?>\([^()]*+\))?\s*+)++"
    rf"{_VARIABLE}(?>,\s*+{_VARIABLE})*+"
)
_DIRECTIVE = re.compile(
    rf"(?>{_DECLARATION}(?>=\s*+(?>{_DATA}|{_NAME}\s*+))?;"
    r"|\.(?:version|target|address_size)\b[\w.,\s]*+"
    r'|\.pragma\s*+"[^"]*+"(?>\s*+,\s*+"[^"]*+")*+\s*+;'
    rf"|\.alias\s++{_NAME}\s*+,\s*+{_NAME}\s*+;)\s*+"
)
_OPEN_DECLARATION = re.compile(rf"{_DECLARATION}=\s*+(?>{_DATA})?")
_MORE_DATA = re.compile(rf"(?>{_DATA})?;?")
_LINE_INFO = re.compile(r'\.loc\s[\w$+,\s]*+|\.file\s++\d++\s++"[^"]*+"[\d,\s]*+')
_DEBUG_SECTION = re.compile(r"\.section\s++\.debug\w*+\s*+(?:\{\s*+)?(\})?")
_DEBUG_DATA = re.compile(r"\.[bus](?:8|16|32|64)\s[^;{}:]*+|\{\s*+\}?|\}")


class _PtxReader:
    """Takes in PTX line by line."""

    def __init__(self, _lines: Sequence[str]) -> None:
        self._last = LineClass.CODE
        self._in_comment = False
        # From `.entry` or `.func` to the brace or semicolon behind the parameters.
        self._in_head = False
        self._in_debug_section = False
        # Whether an initialiser goes on, and how many of its braces are open.
        self._in_data = False
        self._depth = 0

    def __call__(self, line: str) -> LineClass:
        was_in_comment, code = self._in_comment, line
        if was_in_comment or "/" in line:
            code, self._in_comment = _without_comments(line, was_in_comment)
        code = code.strip()
        if code:
            self._last = self._class_of(code)
        elif was_in_comment or line.strip():
            self._last = LineClass.COMMENT
        return self._last

    def _class_of(self, code: str) -> LineClass:
        if self._in_data and self._goes_on_with_data(code):
            return LineClass.DIRECTIVE
        if self._in_debug_section and _DEBUG_DATA.fullmatch(code):
            self._in_debug_section = not code.endswith("}")
            return LineClass.DEBUG
        if self._in_head or _HEAD.search(code):
            self._in_head = "{" not in code and ";" not in code
            return LineClass.CODE
        if not code.startswith("."):
            # Labels within a debug section are in the midst of it.
            self._in_debug_section &= _PTX_LABEL.fullmatch(code) is not None
            return LineClass.CODE
        return self._class_of_directive(code)

    def _class_of_directive(self, code: str) -> LineClass:
        if _LINE_INFO.fullmatch(code):
            return LineClass.DEBUG
        if section := _DEBUG_SECTION.fullmatch(code):
            self._in_debug_section = section[1] is None
            return LineClass.DEBUG
        at = 0
        while (match := _DIRECTIVE.match(code, at)) and match.end() > at:
            at = match.end()
        if at == len(code):
            return LineClass.DIRECTIVE
        if opened := _OPEN_DECLARATION.fullmatch(code, at):
            self._depth = opened[0].count("{") - opened[0].count("}")
            self._in_data = self._depth > 0 or opened[0].endswith("=")
            return LineClass.DIRECTIVE if self._in_data else LineClass.CODE
        return LineClass.CODE

    def _goes_on_with_data(self, code: str) -> bool:
        self._depth += code.count("{") - code.count("}")
        self._in_data = self._depth > 0 and not code.endswith(";")
        if _MORE_DATA.fullmatch(code):
            return True
        self._in_data = False
        return False


# Most lines are of this form: an address, and no directive behind it.
_INSTRUCTION = re.compile(r"\s*+/\*[0-9a-f]{4,}\*/\s++[^.\s]")
_ADDRESS = re.compile(r"\s*+/\*[0-9a-f]{4,}\*/\s*+")
_SASS_LABEL = re.compile(r"([\w.$@]++):")
_HEADING = re.compile(r"//-++ (\S++)\s++-")
_SECTION = re.compile(r"\.section\s++([^\s,]++)")
# Names of sections and labels have a second dot or begin with a capital.
_SASS_DIRECTIVE = re.compile(r"\.[a-z]\w*+(?:\s[^;:]*+)?")
_SASS_LINE_INFO = re.compile(r"\.(?:loc|file)\s")


# nvdisasm makes up such names for all addresses that anything refers to: .L_x_12
_OWN_LABEL = re.compile(r"\.L_\w++")
_OWN_SIGN = ".L_"
# A jump by a register: without a list of its targets any label may be one.
_ANY_TARGET = re.compile(r"\s*+/\*[0-9a-f]{4,}\*/\s++(?>@!?\w++\s++)?(?:BRX|JMX|BRXU|JMXU)\b")


def jump_targets(lines: Sequence[str]) -> frozenset[str] | None:
    """Returns the labels that instructions of a SASS text name; None where any may be a target.

    Others stand for ends of functions and for places of debug information.
    """
    targets: set[str] = set()
    for line in lines:
        if _OWN_SIGN in line:
            if _INSTRUCTION.match(line):
                targets.update(_OWN_LABEL.findall(line))
        elif ("BRX" in line or "JMX" in line) and _ANY_TARGET.match(line):
            return None
    return frozenset(targets)


def is_unused_label(label: str, targets: frozenset[str] | None) -> bool:
    """Returns whether nvdisasm made up a label that no instruction names; see `jump_targets`."""
    return targets is not None and label.startswith(_OWN_SIGN) and label not in targets


class _SassReader:
    """Takes in the text of nvdisasm, line by line."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._last = LineClass.CODE
        self._section = ""
        self._targets = jump_targets(lines)

    def __call__(self, line: str) -> LineClass:
        if _INSTRUCTION.match(line):
            self._last = LineClass.CODE
        elif text := line.strip():
            self._last = self._class_of(text)
        return self._last

    def _class_of(self, text: str) -> LineClass:
        if text.startswith("//"):
            return self._class_of_comment(text)
        if text.startswith("/*"):
            # An address, with data or an instruction behind it, or the rest of its encoding.
            address = _ADDRESS.match(text)
            return self._class_of_directive(text[address.end() :] if address else text)
        return self._class_of_directive(text)

    def _class_of_comment(self, text: str) -> LineClass:
        if text.startswith("//##"):
            return LineClass.DEBUG
        if heading := _HEADING.match(text):
            self._section = heading[1]
            return self._in_section(LineClass.COMMENT)
        return LineClass.COMMENT

    def _class_of_directive(self, text: str) -> LineClass:
        code, is_open = _without_comments(text, False)
        code = code.strip()
        if section := _SECTION.match(code):
            self._section = section[1]
        if label := _SASS_LABEL.fullmatch(code):
            is_own_name = label[1] == self._section
            is_unused = is_unused_label(label[1], self._targets)
            usual = LineClass.LABEL if is_unused else LineClass.CODE
            return self._in_section(usual) if is_own_name or is_unused else usual
        if is_open or not _SASS_DIRECTIVE.fullmatch(code):
            return LineClass.CODE
        is_line_info = _SASS_LINE_INFO.match(code) is not None
        return LineClass.DEBUG if is_line_info else self._in_section(LineClass.DIRECTIVE)

    def _in_section(self, usual: LineClass) -> LineClass:
        is_debug = self._section.startswith((".debug", ".nv_debug"))
        return LineClass.DEBUG if is_debug else usual


_READERS: dict[CodeKind, Callable[[Sequence[str]], Callable[[str], LineClass]]] = {
    CodeKind.PTX: _PtxReader,
    CodeKind.SASS: _SassReader,
}
