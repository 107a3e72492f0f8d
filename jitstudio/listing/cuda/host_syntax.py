"""Mistakes in the syntax of host code, which nobody compiles here and nvcc will refuse.

What is set aside is for another compiler, which knows headers and macros that are not here. So
that nothing is called wrong that is right there, two readers have to agree: one of the few
patterns that hardly a macro makes right, and the syntax tree, in which there is an error there.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from tree_sitter import Node

from jitstudio.core.cpp_text import COMMENT, RAW_STRING
from jitstudio.listing.cuda.declarations import prepare
from jitstudio.listing.cuda.heads import BUILT_IN
from jitstudio.listing.cuda.outline import code_alone
from jitstudio.listing.cuda.runtime_functions import RUNTIME_FUNCTIONS
from jitstudio.listing.cuda.spans import lines_of
from jitstudio.listing.cuda.syntax import parse

# Each begins with a byte of a few, so that the search is quick.
_DANGLING = re.compile(rb"[-+*/%&|^=!<>](?P<more>[=|&<>]{0,5}+)\s*+(?P<closer>[;)\]},])")
# Of types and template arguments: Pair<int *, T &>, List<Pair<>>, F &&.
_NO_OPERATOR = re.compile(rb"[*&<>]++|!")
# `f(, 1)`, `f(1, )`, `<<<1, >>>`, `sizeof()`
_NO_ARGUMENT = re.compile(rb"\(\s*+,|,\s*+(?:[,)]|>>>)|s(?<!\w.)izeof\s*+\(\s*+\)")
# `"text" name`; in code alone each quoted text is empty.
_AFTER_TEXT = re.compile(rb'""[ \t]++(?P<next>[a-z]\w*+)')
# With brackets in brackets.
_FOR = re.compile(
    rb"for(?<!\wfor)\s*+\((?P<head>[^(){}]*+(?>\([^(){}]*+(?>\([^(){}]*+\)[^(){}]*+)*+\)[^(){}]*+)*+)\)"
)
_CHEVRONS = re.compile(rb"<<<(?P<sizes>[^;]*+)")
_CALLED_NAME = re.compile(rb"\b([A-Za-z_]\w*+)(?=\s*+\()")
# `for (int item : list)` has no semicolons.
_ONE_COLON = re.compile(rb"(?<!:):(?!:)")
# `= 16 n`; the digit begins a number, and is not a part of a name.
_AFTER_NUMBER = re.compile(rb"\d(?<![\w.'].)[\w.']*+\s++(?P<next>\w++)")
# `n 16`
_BEFORE_NUMBER = re.compile(rb"(?P<next>\d(?<=\s.)[\w.']*+)")
_DEFINED = re.compile(rb"#[ \t]*+define[ \t]++(\w++)([^\n]*+)")
_NUMBER = re.compile(rb"(?>[\s()*/%+<>-]|\b\d[\w.']*+)++")
_STATEMENTS = (
    rb"auto|bool|break|char|continue|delete|do|double|else|float|for|goto|if|int|long|return|short"
    rb"|signed|static|struct|switch|unsigned|using|void|while"
)
_NEXT = rb"\n\s*+(?P<next>(?:" + _STATEMENTS + rb")\b|\}|\w++)"
# Of a line, so that no text is gone through for each of its signs.
_REST = rb"[^;{}\n]{0,240}+"
# `int n = 16`
_NO_SEMICOLON = re.compile(rb"=(?!=)(?P<value>" + _REST + rb")" + _NEXT)
# `return n`, `using namespace std`
_NO_SEMICOLON_AFTER = re.compile(
    rb"(?P<word>r(?<!\w.)eturn|u(?<!\w.)sing\s++namespace)\b(?P<value>"
    + (_REST + rb")(?:" + _NEXT + rb"|(?P<end>\}))")
)
# Functions of headers that everybody knows: those have no macro of that name.
_FUNCTIONS = RUNTIME_FUNCTIONS.union(
    b"abs atof atoi calloc ceil cos exit exp fabs fclose floor fopen fprintf free log malloc max "
    b"memcpy memset min pow printf rand realloc sin sqrt srand strcmp strlen time".split()
)
_CALL = re.compile(
    rb"(?P<name>c(?<!\w.)uda[A-Z]\w*+|p(?<!\w.)rintf|f(?<!\w.)(?:printf|ree)|e(?<!\w.)xit)"
    rb"(?P<value>\s*+\(" + _REST + rb")" + _NEXT
)
# A line that goes on in the next one, or lacks its end; of `**name` from the last asterisk on.
_LINE_END = re.compile(rb"(?:\)|[*,][ \t&]*+\w++)[ \t\r]*+\n\s*+[\w}]")
_LINE = rb"\n[ \t]*+"
# `helper(n)` or `object.method(n)`, which is a whole line.
_CALLED = re.compile(
    _LINE + rb"(?P<callee>[A-Za-z_](?>\w|::|\.|->)*+(?><[^<>;{}()\n]{1,80}+>)?+)"
    rb"(?P<value>\s*+\(" + _REST + rb")" + _NEXT
)
_DECLARED = re.compile(
    _LINE + rb"(?P<value>[A-Za-z_][\w:]*+[ \t]*+[\w*&][^;{}()=\n]{0,160}+)" + _NEXT
)
# `float *make(int n)`
_OWN_FUNCTION = re.compile(
    rb"(?:void|int|float|double|bool|auto|size_t)[ \t*&]++(\w++)(?=[ \t]*+\()"
)
# A macro that needs a semicolon.
_DEFINITION_OF = rb"#[ \t]*+define[ \t]++%s\b(?>[^\\\n]++|\\(?:\r\n|[\s\S]))*+"
_STATEMENT_BODY = re.compile(rb"while\s*+\(\s*+(?:0|false)\s*+\)\s*+\Z")
# `kernel<<<1, 32>>>(data)`
_LAUNCHED = re.compile(rb">>>(?P<value>\s*+\(" + _REST + rb")" + _NEXT)
_STATEMENT = re.compile(_STATEMENTS)
# What an operand ends with, and what no name ends with.
_OPERAND = re.compile(rb"[\w)\]\"]\Z")
_LITERAL = re.compile(rb"(?:(?<![\w.'])\d[\w.']*+|\])\Z")
_CALLEE = re.compile(rb"(?P<scope>(?:\.|->|::)\s*+)?(?P<name>\b[A-Za-z_]\w*+|\))\s*+\Z")
_WORD = bytes(byte for byte in range(128) if chr(byte).isalnum()) + b"_"
_FIRST_WORD = re.compile(rb"[A-Za-z_]\w*+")
# What begins no declaration.
_NO_TYPES = frozenset(
    b"break case catch continue delete do else enum for friend goto if namespace new operator "
    b"private protected public return sizeof switch template throw try typedef typename using "
    b"while".split()
)
_BRACKET = re.compile(rb"[()\[\]{}]")
_CLOSED_BY = {b"(": b")", b"[": b"]", b"{": b"}"}
_QUOTES = re.compile(
    f"{COMMENT}|{RAW_STRING}".encode() + rb'|"(?>[^"\\\n]++|\\[\s\S])*+(?:"|(?P<open>))'
)
# Words that no operand ends with.
_OPEN_WORDS = frozenset(
    b"and and_eq bitand bitor case catch co_await co_return co_yield const decltype default delete "
    b"do else goto if in long new not not_eq operator or or_eq return short signed sizeof static "
    b"struct throw typename unsigned volatile while xor xor_eq".split()
)
# Words that go on with what is before them.
_CONTINUING = frozenset(
    b"and and_eq bitand bitor catch const else final mutable noexcept not_eq or or_eq override "
    b"requires throw try volatile while xor xor_eq".split()
)
_OPEN_QUOTE = "the quotation mark is not closed"
_COMPARES = (b"=", b"!", b"<", b">")
_NEAR = 80
_AROUND = 2
_MOST = 5


class SyntaxMistake(NamedTuple):
    """A place in host code that no compiler takes.

    Attributes:
        line: From 1.
        reason: What is wrong: a clause without a full stop.
    """

    line: int
    reason: str


class _Suspicion(NamedTuple):
    """A place that looks wrong, why, and whether that is enough, as no macro can be meant."""

    at: int
    reason: str
    is_enough: bool = False


def syntax_mistakes(
    text: bytes, ranges: Iterable[tuple[int, int]], others: Iterable[bytes] = ()
) -> tuple[SyntaxMistake, ...]:
    """Returns the certain mistakes in the syntax of host code, in order; the first few.

    Args:
        text: CUDA C++.
        ranges: The first and the last line of each part with host code.
        others: The texts of headers, whose macros it may use.
    """
    lengths = (len(line) + 1 for line in text.split(b"\n"))
    starts = [*accumulate(lengths, initial=0)]
    starts[-1] = len(text)
    spans = [(starts[first - 1], starts[min(last, len(starts) - 1)]) for first, last in ranges]
    suspicions = sorted(_Suspicions(text, spans, others).all())
    if not suspicions:
        return ()
    lines = lines_of(text, {suspicion.at for suspicion in suspicions})
    prepared = prepare(text, for_host=True).text
    wrong = [_lines(node) for node in _errors(parse(prepared))]
    compiled = prepared.split(b"\n")
    # What is behind an open quotation mark looks wrong, too.
    open_lines = {
        lines[suspicion.at] for suspicion in suspicions if suspicion.reason == _OPEN_QUOTE
    }
    sure = {
        lines[suspicion.at]: suspicion.reason
        for suspicion in reversed(suspicions)
        if (suspicion.reason == _OPEN_QUOTE or lines[suspicion.at] not in open_lines)
        and (
            (suspicion.is_enough and compiled[lines[suspicion.at] - 1].strip())
            or any(a - _AROUND <= lines[suspicion.at] <= b + _AROUND for a, b in wrong)
        )
    }
    return tuple(SyntaxMistake(*mistake) for mistake in sorted(sure.items())[:_MOST])


def _errors(root: Node) -> Iterator[Node]:
    todo = [root]
    while todo:
        node = todo.pop()
        if node.is_error or node.is_missing:
            yield node
        elif node.has_error:
            todo.extend(node.children)


def _last_word(text: bytes, end: int) -> bytes:
    """Returns the word before a place, and blanks; empty where there is none, or a number."""
    before = text[max(0, end - _NEAR) : end].rstrip()
    word = before[len(before.rstrip(_WORD)) :]
    return b"" if word[:1].isdigit() else word


def _lines(node: Node) -> tuple[int, int]:
    return node.start_point[0] + 1, node.end_point[0] + 1


def _opened_at(value: bytes) -> int | None:
    """Returns where the bracket opens that ends a value; None with another end."""
    depth = 0
    for at in range(len(value.rstrip()) - 1, -1, -1):
        sign = value[at : at + 1]
        depth += (sign == b")") - (sign == b"(")
        if depth == 0:
            return at if sign == b"(" else None
    return None


class _Suspicions:
    """The places that look wrong, by the words around alone."""

    def __init__(
        self, text: bytes, spans: Sequence[tuple[int, int]], others: Iterable[bytes]
    ) -> None:
        code, directives = code_alone(text)
        self._text = text
        self._code = code.replace(b"#", b" ")
        self._directives = sorted(directives)
        self._spans = spans
        self._texts = (text, *others)

    @cached_property
    def _own_functions(self) -> frozenset[bytes]:
        """Functions that the text declares, of the types that are plain to see."""
        return frozenset(_OWN_FUNCTION.findall(self._code))

    @cached_property
    def _macros(self) -> dict[bytes, list[bytes]]:
        """The values of each macro of the texts, by name; there may be several."""
        values: dict[bytes, list[bytes]] = {}
        for text in self._texts:
            for name, value in _DEFINED.findall(text):
                values.setdefault(name, []).append(value)
        return values

    def all(self) -> Iterator[_Suspicion]:
        """Yields all suspicions in any order."""
        for start, end in self._spans:
            yield from self._operands(start, end)
            yield from self._semicolons(start, end)
            yield from self._brackets(start, end)
            yield from self._chevrons(start, end)
            yield from self._quotes(start, end)

    def _operands(self, start: int, end: int) -> Iterator[_Suspicion]:
        code = self._code
        for match in _DANGLING.finditer(code, start, end):
            sign = code[match.start() : match.end("more")]
            before = code[max(0, match.start() - _NEAR) : match.start()].rstrip()
            if _NO_OPERATOR.fullmatch(sign) or before.endswith((sign, b"operator")):
                continue
            if not _OPERAND.search(before) or self._is_open(match.start()) or self._asks(match):
                continue
            if match["closer"] not in (b")", b",") or not self._in_macro(match.start("closer")):
                yield _Suspicion(match.start(), f"nothing is after '{sign.decode()}'")
        for match in _NO_ARGUMENT.finditer(code, start, end):
            is_size = match[0].endswith(b">>>")
            if not self._asks(match) and (is_size or not self._in_macro(match.end() - 1)):
                yield _Suspicion(match.start(), "an argument is missing")
        for match in _AFTER_TEXT.finditer(code, start, end):
            word, at = match["next"], match.start("next")
            # No suffix, as in ""sv, and no linkage.
            is_apart = self._text[at - 1 : at].isspace()
            is_apart &= _last_word(code, match.start()) != b"extern"
            if is_apart and not self._may_be_macro(word) and not self._asks(match):
                yield _Suspicion(at, f"'{word.decode()}' cannot follow a text")
        for match in _AFTER_NUMBER.finditer(code, start, end):
            word = match["next"]
            if not self._may_be_macro(word) and not self._asks(match):
                yield _Suspicion(match.start("next"), f"'{word.decode()}' cannot follow a number")
        for match in _BEFORE_NUMBER.finditer(code, start, end):
            name = _last_word(code, match.start())
            if name and not self._may_be_macro(name) and not self._asks(match):
                number = match["next"].decode()
                yield _Suspicion(match.start("next"), f"'{number}' cannot follow a name")

    def _semicolons(self, start: int, end: int) -> Iterator[_Suspicion]:
        code = self._code
        for match in _NO_SEMICOLON.finditer(code, start, end):
            is_value = code[match.start() - 1 : match.start()] not in _COMPARES
            following = match["next"]
            if not is_value or not self._is_whole(match) or self._asks(match):
                continue
            if following == b"}" and self._before(match.start()) != b";":
                continue  # of an enumeration, or of a list of values
            yield _Suspicion(match.start(), f"';' is missing before '{following.decode()}'")
        for match in _NO_SEMICOLON_AFTER.finditer(code, start, end):
            following = match["next"] or match["end"]
            if self._is_whole(match) and not self._asks(match):
                yield _Suspicion(match.start(), f"';' is missing before '{following.decode()}'")

        for line_end in _LINE_END.finditer(code, start, end):
            at = max(0, code.rfind(b"\n", 0, line_end.start()))
            call, declared = _CALLED.match(code, at, end), _DECLARED.match(code, at, end)
            line = call if call and self._needs_semicolon(call) else None
            if line is None and declared and self._is_declaration(declared):
                line = declared
            if line and not self._asks(line):
                shown = line["next"].decode()
                yield _Suspicion(line.start("value"), f"';' is missing before '{shown}'")
        for match in _FOR.finditer(code, start, end):
            head = match["head"]
            is_short = head.strip() and head.count(b";") < 2 and not _ONE_COLON.search(head)
            is_macro = any(self._may_be_macro(name) for name in _CALLED_NAME.findall(head))
            if is_short and not is_macro and not self._asks(match):
                yield _Suspicion(match.start(), "';' is missing in the brackets of 'for'")
        calls = (m for m in _CALL.finditer(code, start, end) if self._is_statement(m))
        for match in (*_LAUNCHED.finditer(code, start, end), *calls):
            # Behind the brackets of the call there may be a macro.
            is_call = _opened_at(match["value"]) == match["value"].index(b"(")
            if is_call and self._is_whole(match) and not self._asks(match):
                shown = match["next"].decode()
                yield _Suspicion(match.start(), f"';' is missing before '{shown}'", is_enough=True)

    def _needs_semicolon(self, match: re.Match[bytes]) -> bool:
        """Returns whether a call that is a whole line is a statement, and no macro without ';'."""
        callee, value = match["callee"], match["value"]
        is_plain = _FIRST_WORD.fullmatch(callee) is not None
        first = _FIRST_WORD.match(callee)
        if first is None or first[0] in _OPEN_WORDS or _STATEMENT.fullmatch(first[0]):
            return False
        before = self._before_line(match.start())
        is_call = _opened_at(value) == value.index(b"(")
        if before not in (b";", b"{", b"}") or not is_call or not self._may_begin(match["next"]):
            return False
        if not is_plain:
            return True
        if self._may_be_macro(callee):
            return self._is_statement_macro(callee)
        return callee in _FUNCTIONS or callee in self._own_functions

    def _is_declaration(self, match: re.Match[bytes]) -> bool:
        """Returns whether a line declares variables, as `float *a, *b`, without an end."""
        value = match["value"].rstrip()
        last = _last_word(value, len(value))
        first = _FIRST_WORD.match(value)
        if first is None or first[0] in _NO_TYPES or not last or self._may_be_macro(last):
            return False
        is_list = b"," in value or b"*" in value
        is_end = value.endswith(last) and last not in BUILT_IN and b"<" not in value
        before = self._before_line(match.start())
        return (
            is_list and is_end and before in (b";", b"{", b"}") and self._may_begin(match["next"])
        )

    def _before_line(self, at: int) -> bytes:
        return self._code[max(0, at - _NEAR) : at].rstrip()[-1:]

    def _may_begin(self, word: bytes) -> bool:
        """Returns whether a word begins a statement, whatever macros there are, or ends a block."""
        if word == b"}" or _STATEMENT.fullmatch(word):
            return True
        if word in _CONTINUING:
            return False
        return not self._may_be_macro(word) or self._is_statement_macro(word)

    def _is_statement_macro(self, name: bytes) -> bool:
        """Returns whether a macro is ``do { … } while (0)``, which needs a semicolon."""
        defined = re.compile(_DEFINITION_OF % re.escape(name))
        bodies = [definition[0] for text in self._texts for definition in defined.finditer(text)]
        return bool(bodies) and all(map(_STATEMENT_BODY.search, bodies))

    def _is_statement(self, match: re.Match[bytes]) -> bool:
        """Returns whether a function's call begins a statement; alone in braces it is a value."""
        if not self._is_function(match["name"]):
            return False
        before = self._code[max(0, match.start() - _NEAR) : match.start()].rstrip()[-1:]
        return before in (b";", b"}") or (before == b"{" and match["next"] != b"}")

    def _is_whole(self, match: re.Match[bytes]) -> bool:
        """Returns whether a value is an expression at the end of a line, and no part of another."""
        value = match["value"].rstrip()
        if value.count(b"(") != value.count(b")") or not _OPERAND.search(value):
            return False
        if self._is_open(match.start("value") + len(value)) or self._ends_in_macro(match):
            return False
        return self._may_begin(match["next"] or b"}")

    def _is_function(self, name: bytes) -> bool:
        return name in _FUNCTIONS and name not in self._macros

    def _ends_in_macro(self, match: re.Match[bytes]) -> bool:
        """Returns whether the last word or call of a value may be a macro that brings a ';' along.

        A call of a plain name may be that of a macro in a header that nobody has read.
        """
        value = match["value"].rstrip()
        opened = _opened_at(value)
        if opened is None:
            name = b"" if _LITERAL.search(value) else _last_word(value, len(value))
            return bool(name) and self._is_more_than_number(name)
        end = match.start("value") + opened
        callee = _CALLEE.search(self._code, max(0, end - _NEAR), end)
        if callee is None:
            return False
        name = callee["name"]
        if name in _OPEN_WORDS or _STATEMENT.fullmatch(name) or self._is_function(name):
            return False
        if name in self._own_functions and name not in self._macros:
            return False
        return self._may_be_macro(name) or not callee["scope"]

    def _is_more_than_number(self, word: bytes) -> bool:
        """Returns whether a word may be a macro that does not stand for a number."""
        values = self._macros.get(word, ())
        return self._may_be_macro(word) and not (values and all(map(_NUMBER.fullmatch, values)))

    def _brackets(self, start: int, end: int) -> Iterator[_Suspicion]:
        code = self._code
        pairs = ((b"(", b")"), (b"[", b"]"))
        if all(code.count(a, start, end) == code.count(b, start, end) for a, b in pairs):
            return
        opened: list[tuple[int, bytes]] = []
        for match in _BRACKET.finditer(code, start, end):
            if match[0] in _CLOSED_BY:
                opened.append((match.start(), match[0]))
                continue
            at, bracket = opened.pop() if opened else (match.start(), b"")
            if _CLOSED_BY.get(bracket) == match[0]:
                continue
            if self._asks_between(start, end):
                return
            if bracket in (b"", b"{"):
                yield _Suspicion(match.start(), f"'{match[0].decode()}' closes nothing")
            else:
                yield _Suspicion(at, f"'{bracket.decode()}' is not closed")
            return

    def _chevrons(self, start: int, end: int) -> Iterator[_Suspicion]:
        for match in _CHEVRONS.finditer(self._code, start, end):
            if b">>>" not in match["sizes"] and not self._asks(match):
                yield _Suspicion(match.start(), "'<<<' is not closed")

    def _quotes(self, start: int, end: int) -> Iterator[_Suspicion]:
        for match in _QUOTES.finditer(self._text, start, end):
            at = match.start()
            if match["open"] is not None and self._code.startswith(b'""', at):
                yield _Suspicion(at, _OPEN_QUOTE)

    def _before(self, at: int) -> bytes:
        """Returns the sign that separates the statement at a place from the statement before."""
        last = max(self._code.rfind(sign, 0, at) for sign in (b";", b"{", b"}"))
        return self._code[last : last + 1] if last >= 0 else b""

    def _is_open(self, at: int) -> bool:
        """Returns whether the word that ends at a place wants an operand behind."""
        return _last_word(self._code, at) in _OPEN_WORDS

    def _asks(self, match: re.Match[bytes]) -> bool:
        """Returns whether a directive is within, which may leave out a part of the code around."""
        return self._asks_between(match.start(), match.end())

    def _asks_between(self, start: int, end: int) -> bool:
        index = bisect_left(self._directives, start)
        return index < len(self._directives) and self._directives[index] < end

    def _in_macro(self, at: int) -> bool:
        """Returns whether a place is within brackets that may be a macro's."""
        depth = 0
        for place in range(at - 1, max(0, at - 2000), -1):
            sign = self._code[place : place + 1]
            depth += (sign in b")]}") - (sign in b"([{")
            if depth < 0:
                name = _last_word(self._code, place)
                is_macro = name not in _OPEN_WORDS and self._may_be_macro(name)
                return sign != b"(" or is_macro
            if sign == b";":
                return True
        return True

    def _may_be_macro(self, word: bytes) -> bool:
        return (
            word.isupper() or word.startswith(b"__") or word in _OPEN_WORDS or word in self._macros
        )
