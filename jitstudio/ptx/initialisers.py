"""The initial values of variables: numbers, and the addresses of variables and functions.

Follows "Initializers" of the PTX ISA. As in ptxas, inner braces have no meaning, and a mask
in front of parentheses, such as ``0xFF00(name)``, takes one byte of an address or a number.
"""

from __future__ import annotations

from typing import NamedTuple

from jitstudio.ptx.constants import constant, integer, offset
from jitstudio.ptx.scanner import Literal, initial_bytes, literal_of
from jitstudio.ptx.tokens import PtxTokens

_GENERIC = "generic"


class SymbolAddress(NamedTuple):
    """The address of a symbol in an initialiser.

    Attributes:
        offset: The place in the variable.
        symbol: The symbol whose address is stored.
        addend: Bytes added to the address.
        generic: Whether the address is generic.
        size: The size of the stored address in bytes.
        shift: The number of lowest bits left out, for an address stored byte by byte.
    """

    offset: int
    symbol: str
    addend: int
    generic: bool
    size: int
    shift: int = 0


class Initialiser(NamedTuple):
    """The elements of an initialiser, in order.

    Attributes:
        data: The bytes, zeros in the place of an address.
        addresses: The addresses to store.
    """

    data: bytes = b""
    addresses: tuple[SymbolAddress, ...] = ()


def initialiser(tokens: PtxTokens, element: int) -> Initialiser:
    """Reads the initialiser that comes next, for elements of `element` bytes.

    Raises:
        PtxReadError: If there is no initialiser.
    """
    data, addresses = bytearray(), list[SymbolAddress]()
    depth = 0
    while True:
        if tokens.accept("{"):
            depth += 1
        elif tokens.accept("}"):
            depth -= 1
        elif depth and tokens.accept(","):
            continue
        else:
            value = _value(tokens, len(data), element)
            if isinstance(value, SymbolAddress):
                addresses.append(value)
                data += bytes(element)
            else:
                data += initial_bytes(value, element)
        if depth == 0:
            return Initialiser(bytes(data), tuple(addresses))


def _value(tokens: PtxTokens, at: int, element: int) -> Literal | SymbolAddress:
    token = tokens.peek()
    if token.kind == "number" and tokens.tokens[tokens.position + 1].text == "(":
        return _masked(tokens, at, element)
    if _is_name(tokens):
        symbol, is_generic = _symbol(tokens)
        return SymbolAddress(at, symbol, offset(tokens), is_generic, element)
    return constant(tokens).number


def _masked(tokens: PtxTokens, at: int, element: int) -> Literal | SymbolAddress:
    mask = int(literal_of(tokens.take().text).value)
    shift = max((mask & -mask).bit_length() - 1, 0)
    tokens.expect("(")
    value: Literal | SymbolAddress
    if _is_name(tokens):
        symbol, is_generic = _symbol(tokens)
        value = SymbolAddress(at, symbol, offset(tokens), is_generic, element, shift)
    else:
        value = Literal((integer(tokens) & mask) >> shift)
    tokens.expect(")")
    return value


def _is_name(tokens: PtxTokens) -> bool:
    token = tokens.peek()
    return token.kind == "word" and token.text != "WARP_SZ"


def _symbol(tokens: PtxTokens) -> tuple[str, bool]:
    """Returns the name that comes next, and whether the generic address is meant."""
    name = tokens.word()
    if name != _GENERIC or not tokens.accept("("):
        return name, False
    name = tokens.word()
    tokens.expect(")")
    return name, True
