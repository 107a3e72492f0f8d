"""Lexers of the languages on the way from CUDA C++ to SASS, for Pygments and for editors."""

from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer
from jitstudio.listing.lexers.line_lexer import LineLexer
from jitstudio.listing.lexers.nvvm_ir import NvvmIrLexer
from jitstudio.listing.lexers.ptx import PtxLexer
from jitstudio.listing.lexers.sass import SassLexer

__all__ = ["CudaCxxLexer", "LineLexer", "NvvmIrLexer", "PtxLexer", "SassLexer"]
