"""The small language of conditions, such as ``registers <= 64`` or ``no double``.

    condition  = "no" quantity | quantity OP side | side OP quantity | relation
    side       = NUMBER | NUMBER "*" quantity | quantity
    quantity   = WORD | WORD ":" WORD | WORD "(" NUMBER ["," NUMBER] ")"
    relation   = WORD "(" STRING ["," NAME "=" ("true" | "false")] ")"
    OP         = "==" | "!=" | "<=" | ">=" | "<" | ">"

A word is one of `jitstudio.checks.forms.FORMS`, or an opcode such as ``LDG.128``. A number may be
followed by ``%``, ``KiB`` or ``MiB``.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple

from jitstudio.analysis.sass.model import SourceLocation
from jitstudio.analysis.sass.opcodes import all_modifiers, all_opcodes, stem
from jitstudio.checks.forms import (
    FINDING,
    FORMS,
    INDEPENDENT,
    REMARK,
    Form,
    FormValue,
    JudgedKernel,
    OpcodeGlob,
    remarks_of,
)
from jitstudio.core.alike import did_you_mean

LONGEST = 400
"""Characters of a condition."""

_TOKEN = re.compile(
    # 64, 1.5e3, 50%, 48 KiB
    r"""(?P<number>[0-9]++(?>\.[0-9]++)?+(?>[eE][+-]?[0-9]++)?+(?>[ ]?(?:%|[KM]iB\b))?+)"""
    # registers, finding:strided, remark:#177-D, LDG.128, LD?.*
    r"""|(?P<word>[A-Za-z_][\w.?:#-]*+(?>\*[\w.?:#-]*+)*+)"""
    # "base.cubin"
    r"""|(?P<string>"[^"]*+"|'[^']*+')"""
    r"""|(?P<sign>[<>=!]=|[<>=(),*])"""
)
_UNITS = {"%": 0.01, "KiB": 1024.0, "MiB": 1024.0**2}
_COMPARE: dict[str, tuple[Callable[[float, float], bool], str]] = {
    "==": (operator.eq, "exactly"),
    "!=": (operator.ne, "anything but"),
    "<=": (operator.le, "at most"),
    ">=": (operator.ge, "at least"),
    "<": (operator.lt, "less than"),
    ">": (operator.gt, "more than"),
}
_TRUTH = {"true": True, "false": False}


class ConditionError(ValueError):
    """A condition cannot be understood; the message quotes the text and names the remedy."""


@dataclass(frozen=True)
class Quantity:
    """A form with its arguments, times a number."""

    text: str
    form: Form
    arguments: tuple[str | float | bool, ...] = ()
    factor: float = 1

    def sentence(self, words: str) -> str:
        """Returns words about this quantity, with its meaning in front."""
        label = self.form.label
        # Arguments and factors are in the text of a condition only.
        text = f" ({self.text})" if self.arguments or self.factor != 1 else ""
        return f"{label[:1].upper()}{label[1:]}{text}: {words}"

    def shown(self, value: float) -> str:
        """Returns a value as people write this quantity: a share in percent."""
        return f"{shown(100 * value)}%" if self.form.is_share else shown(value)

    def figure(self, facts: JudgedKernel) -> FormValue:
        """Returns the value for a kernel."""
        figure = self.form.value(facts, *self.arguments)
        if figure.value is None or self.factor == 1:
            return figure
        value = figure.value * self.factor
        if not math.isfinite(value):
            # JSON has no number for it.
            return figure._replace(value=None, note="It is too large a number.")
        return figure._replace(value=value)


class Judgement(NamedTuple):
    """Whether a kernel keeps a condition.

    Attributes:
        holds: False also where a value is not known.
        value: Of what the condition is about; None where it is not known.
        bound: The limit; None where that is not known.
        indices: The instructions that it comes from.
        reason: The value or why there is none, and the demand if not met: a sentence or more.
        place: The line that it comes from, where no instruction says it.
        fault: What stopped the kernel that was launched; see `FormValue`.
    """

    holds: bool
    value: float | None
    bound: float | None
    indices: tuple[int, ...]
    reason: str
    place: SourceLocation | None = None
    fault: str = ""


@dataclass(frozen=True)
class Condition:
    """Something that a kernel has to keep.

    Attributes:
        text: As it is written.
        subject: The quantity on the left, once a number there has changed sides.
        sign: The comparison; see `_COMPARE`.
        bound: With what.
    """

    text: str
    subject: Quantity
    sign: str
    bound: float | Quantity

    @property
    def word(self) -> str:
        """The form of the subject, as conditions write that."""
        return self.subject.form.word

    @property
    def needs_launch(self) -> bool:
        """Whether a launch has to tell a value."""
        sides = (self.subject, self.bound)
        return any(isinstance(side, Quantity) and side.form.of_launch for side in sides)

    def judge(self, facts: JudgedKernel) -> Judgement:
        """Returns whether a kernel meets this condition, and why not."""
        measured = self.subject.figure(facts)
        bound = self.bound
        other = bound.figure(facts) if isinstance(bound, Quantity) else FormValue(bound)
        for side, figure in ((self.subject, measured), (bound, other)):
            if figure.value is None:
                assert isinstance(side, Quantity)
                note = " ".join(filter(None, ("not known.", figure.note)))
                reason = figure.note if figure.is_whole_note else side.sentence(note)
                place, fault = figure.place, figure.fault
                return Judgement(False, measured.value, other.value, (), reason, place, fault)
        assert measured.value is not None
        assert other.value is not None
        compare, words = _COMPARE[self.sign]
        holds = compare(measured.value, other.value)
        return Judgement(
            holds,
            measured.value,
            other.value,
            measured.indices,
            self._reason(measured, other, words, holds=holds),
            measured.place,
            measured.fault,
        )

    def _reason(self, measured: FormValue, other: FormValue, words: str, *, holds: bool) -> str:
        assert measured.value is not None
        assert other.value is not None
        if measured.is_whole_note:
            return measured.note
        subject = self.subject
        value = subject.shown(measured.value)
        if holds:
            return subject.sentence(f"{value}.")
        demand = f"{words} {subject.shown(other.value)}"
        if isinstance(self.bound, Quantity):
            demand += f" ({self.bound.text})"
        elif not other.value and self.sign in ("==", "<="):
            demand = "none"
        verdict = subject.sentence(f"expected {demand}, found {value}.")
        return " ".join(filter(None, (verdict, measured.note, other.note)))


def shown(value: float) -> str:
    """Returns a number as people write numbers."""
    # 64 rather than 64.0, but 0.3333 for a third.
    return f"{int(value)}" if _is_whole(value) else f"{value:.4g}"


def _is_whole(value: float) -> bool:
    # Above that all digits would be written of a float which knows 16 of them.
    return abs(value) < 2**53 and value == int(value)


def parse(text: str) -> Condition:
    """Returns a condition from its text.

    Raises:
        ConditionError: It cannot be understood.
    """
    return _Parser(text).condition()


class _Token(NamedTuple):
    kind: str
    text: str


_END = _Token("end", "")


class _Parser:
    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            cut = f"{text[:60]}…"
            raise ConditionError(f"'{cut}' is longer than the {LONGEST} characters that are read.")
        self._text = text
        self._tokens = self._cut()
        self._at = 0

    def condition(self) -> Condition:
        if self._next() == _END:
            raise self._error("there is nothing in it. Write one such as 'registers <= 64'.")
        if self._next() == _Token("word", "no"):
            self._at += 1
            subject = self._quantity()
            if subject.form.is_relation:
                raise self._error(f"'no' does not go with {subject.form.usage}.")
            # `no double` is `double == 0`.
            condition = Condition(self._text, subject, "==", 0)
        else:
            condition = self._comparison()
        if (rest := self._next()) != _END:
            raise self._error(f"nothing was expected at '{rest.text}'.")
        return condition

    def _comparison(self) -> Condition:
        left = self._side()
        if isinstance(left, Quantity) and left.form.is_relation:
            return Condition(self._text, left, "==", 1)
        sign = self._next().text
        if sign not in _COMPARE:
            meant = " Write '==' for 'equal'." if sign == "=" else ""
            signs = " ".join(_COMPARE)
            what = left.text if isinstance(left, Quantity) else shown(left)
            raise self._error(f"after '{what}' comes one of {signs}.{meant}")
        self._at += 1
        right = self._side()
        for side in (left, right):
            if isinstance(side, Quantity) and side.form.is_relation:
                raise self._error(f"{side.form.usage} is a condition by itself.")
        if isinstance(left, Quantity):
            return Condition(self._text, left, sign, right)
        if isinstance(right, Quantity):
            # `64 >= registers` is `registers <= 64`.
            turned = sign.translate(str.maketrans("<>", "><"))
            return Condition(self._text, right, turned, left)
        raise self._error("it compares two numbers and is about no figure of the kernel.")

    def _side(self) -> Quantity | float:
        if self._next().kind != "number":
            return self._quantity()
        number = self._number()
        if self._next().text != "*":
            return number
        self._at += 1
        quantity = self._quantity()
        # The factor is in the text, so that reasons quote the side as it counts.
        text = f"{shown(number)} * {quantity.text}"
        return Quantity(text, quantity.form, quantity.arguments, number)

    def _number(self) -> float:
        text = self._take("number", "a number")
        unit = next((unit for unit in _UNITS if text.endswith(unit)), "")
        value = float(text.removesuffix(unit)) * _UNITS.get(unit, 1)
        if not math.isfinite(value):
            raise self._error(f"'{text}' is too large.")
        # As an int, `48 KiB` is quoted as 49152 and fits where only whole numbers do.
        return int(value) if _is_whole(value) else value

    def _quantity(self) -> Quantity:
        word = self._take("word", "a figure such as 'registers', or an opcode such as 'LDG.128'")
        form = self._form(word)
        if self._next().text != "(":
            if len(form.arguments) > form.optional:
                raise self._error(f"'{word}' is written {form.usage}.")
            return Quantity(word, form)
        if not form.arguments:
            raise self._error(f"'{word}' takes nothing between parentheses.")
        self._at += 1
        start = self._at
        arguments = self._file(form) if form.is_relation else self._numbers(form)
        # The arguments as the tokens have them: spaces of the user do not matter.
        inside = " ".join(token.text for token in self._tokens[start : self._at])
        self._take("sign", "')'", ")")
        return Quantity(f"{word}({inside.replace(' ,', ',')})", form, arguments)

    def _numbers(self, form: Form) -> tuple[int, ...]:
        numbers = [self._whole(form)]
        if not numbers[0]:
            raise self._error(f"{form.arguments[0]} of {form.usage} is 1 or more.")
        while self._next().text == "," and len(numbers) < len(form.arguments):
            self._at += 1
            numbers.append(self._whole(form))
        if len(numbers) < len(form.arguments) - form.optional:
            raise self._error(f"it is written {form.usage}.")
        return tuple(numbers)

    def _whole(self, form: Form) -> int:
        number = self._number()
        if number != int(number) or not 0 <= number < 2**31:
            raise self._error(f"{form.usage} takes whole numbers.")
        return int(number)

    def _file(self, form: Form) -> tuple[str | bool, ...]:
        name = self._take("string", "the name of a file between quotation marks")[1:-1]
        if self._next().text != ",":
            return (name,)
        self._at += 1
        word, known = self._take("word", f"'{form.arguments[1]}='"), form.arguments[1]
        if word != known:
            raise self._error(f"it does not know '{word}'. Did you mean '{known}'?")
        self._take("sign", "'='", "=")
        value = self._take("word", "'true' or 'false'")
        if value not in _TRUTH:
            raise self._error(f"'{known}' is true or false.")
        return name, _TRUTH[value]

    def _form(self, word: str) -> Form:
        if form := FORMS.get(word):
            return form
        # Opcodes are in capitals (LDG.128), figures are not (registers).
        if word[0].isupper() and ":" not in word:
            return self._opcode(word, FORMS).form()
        kind, colon, opcodes = word.partition(":")
        if colon and kind == INDEPENDENT:
            if not opcodes:
                raise self._error(f"'{word}' lacks an opcode, as in {word}FADD.")
            return self._opcode(opcodes).independent()
        if colon and kind == REMARK:
            if not any(c.isdigit() for c in opcodes):
                raise self._error(
                    f"'{word}' lacks the number of a warning, as in {REMARK}:C7510. "
                    "'jitstudio build' prints it in brackets."
                )
            # `[#177-D]`, as a build prints the numbers of NVRTC and nvcc
            return remarks_of(opcodes.removeprefix("#"))
        if colon and kind == FINDING:
            known = [name for name in FORMS if name.startswith(f"{FINDING}:")]
            rules = ", ".join(name.partition(":")[2] for name in known)
            raise self._error(
                f"there is no '{word}'.{did_you_mean(word, known)} The rules are {rules}."
            )
        raise self._error(f"there is no figure '{word}'.{did_you_mean(word, ('no', *FORMS))}")

    def _opcode(self, word: str, others: Iterable[str] = ()) -> OpcodeGlob:
        """Returns opcodes by a word; `others` are words that may have been meant, too."""
        glob = OpcodeGlob(word)
        stems = {stem(row.name) for row in all_opcodes()}
        if not any(fnmatchcase(name, glob.stem) for name in stems):
            near = did_you_mean(glob.stem, (*stems, *others))
            raise self._error(f"there is no opcode '{glob.stem}'.{near}")
        for part in glob.modifiers:
            known = all_modifiers()
            if not any(fnmatchcase(modifier, part) for modifier in known):
                near = did_you_mean(part, known)
                raise self._error(f"no opcode is followed by '.{part}'.{near}")
        return glob

    def _take(self, kind: str, what: str, text: str | None = None) -> str:
        token = self._next()
        if token.kind != kind or text not in (None, token.text):
            where = f"at '{token.text}'" if token != _END else "at the end"
            raise self._error(f"{what} was expected {where}.")
        self._at += 1
        return token.text

    def _next(self) -> _Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else _END

    def _cut(self) -> list[_Token]:
        tokens, at = [], 0
        while at < len(self._text):
            if self._text[at].isspace():
                at += 1
                continue
            match = _TOKEN.match(self._text, at)
            if match is None:
                raise self._error(f"'{self._text[at]}' is not understood.")
            tokens.append(_Token(match.lastgroup or "", match[0]))
            at = match.end()
        return tokens

    def _error(self, reason: str) -> ConditionError:
        # Anybody may have written the condition: control characters would reach the terminal.
        printable = "".join(c if c.isprintable() else "?" for c in self._text)
        return ConditionError(f"The condition '{printable}': {reason}")
