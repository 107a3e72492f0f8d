"""The symbols of any text that the editor shows."""

from __future__ import annotations

from collections.abc import Callable

from jitstudio.core.code import CodeKind
from jitstudio.listing.symbols.cuda import cuda_symbols
from jitstudio.listing.symbols.lines import llvm_symbols, ptx_symbols
from jitstudio.listing.symbols.symbol import Symbol

_FINDERS: dict[CodeKind, Callable[[str], tuple[Symbol, ...]]] = {
    CodeKind.CUDA: cuda_symbols,
    CodeKind.HEADER: cuda_symbols,
    CodeKind.LLVM_IR: llvm_symbols,
    CodeKind.PTX: ptx_symbols,
}


def symbols(kind: CodeKind, text: str) -> tuple[Symbol, ...]:
    """What a text defines, in order; nothing where the kind has no names. May take a while."""
    find = _FINDERS.get(kind)
    return find(text) if find else ()
