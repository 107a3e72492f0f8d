"""The lexers in the form of Pygments, for the command line and the pages of Pygments.

The window never loads this: it colours line by line, and Pygments' own engine takes long to import.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from pygments.lexer import Lexer
from pygments.token import Whitespace

from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer
from jitstudio.listing.lexers.line_lexer import NORMAL, LineLexer, TokenType
from jitstudio.listing.lexers.nvvm_ir import NvvmIrLexer
from jitstudio.listing.lexers.ptx import PtxLexer
from jitstudio.listing.lexers.sass import SassLexer


class _Plugin(Lexer, LineLexer):  # type: ignore[misc]  # Pygments has no types
    """Lexes a whole text, blanks included."""

    def __init__(self, **options: Any) -> None:
        Lexer.__init__(self, **options)
        LineLexer.__init__(self)

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, TokenType, str]]:
        """Yields the tokens of a text, each with the place."""
        state, offset = NORMAL, 0
        for line in text.split("\n"):
            tokens, state = self.lex_line(line, state)
            for start, token, value in _without_gaps(line, tokens):
                yield offset + start, token, value
            offset += len(line)
            if offset < len(text):
                yield offset, Whitespace, "\n"
            offset += 1


class CudaCxxPlugin(_Plugin, CudaCxxLexer):
    """CUDA C++."""

    name = "CUDA C++"
    url = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/"
    aliases: ClassVar = ["cuda-cxx", "cuda-c++"]
    filenames: ClassVar = ["*.cu", "*.cuh"]
    mimetypes: ClassVar = ["text/x-cuda-cxx"]


class NvvmIrPlugin(_Plugin, NvvmIrLexer):
    """LLVM IR."""

    name = "NVVM IR"
    url = "https://docs.nvidia.com/cuda/nvvm-ir-spec/"
    aliases: ClassVar = ["nvvm-ir", "nvvm"]
    filenames: ClassVar = ["*.ll"]
    mimetypes: ClassVar = ["text/x-nvvm-ir"]


class PtxPlugin(_Plugin, PtxLexer):
    """PTX."""

    name = "NVIDIA PTX"
    url = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
    # Pygments has a lexer called ptx, and takes its own first.
    aliases: ClassVar = ["nvidia-ptx", "nvptx"]
    filenames: ClassVar = ["*.ptx"]
    mimetypes: ClassVar = ["text/x-ptx"]


class SassPlugin(_Plugin, SassLexer):
    """SASS listings."""

    name = "NVIDIA SASS"
    url = "https://docs.nvidia.com/cuda/cuda-binary-utilities/"
    # Pygments has a lexer called sass, for style sheets.
    aliases: ClassVar = ["nvidia-sass", "nvsass"]
    filenames: ClassVar = ["*.sass"]
    mimetypes: ClassVar = ["text/x-nvidia-sass"]


def _without_gaps(line: str, tokens: Iterable[tuple[int, int, TokenType]]) -> Iterator[Any]:
    end = 0
    for start, length, token in tokens:
        if start > end:
            yield end, Whitespace, line[end:start]
        end = start + length
        yield start, token, line[start:end]
    if end < len(line):
        yield end, Whitespace, line[end:]
