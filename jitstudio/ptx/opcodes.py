"""The opcodes of PTX by their effect, for readers that follow control, memory and registers."""

ENDS = frozenset({"ret", "exit", "trap"})
"""Unguarded, they end the thread or return."""

JUMPS = frozenset({"bra", "brx"})

LEAVING = ENDS | JUMPS
"""Unguarded, they never lead to the next instruction."""

BARRIERS = frozenset({"bar", "barrier"})

ACCESSES = frozenset({"ld", "ldu", "st", "atom", "red"})
"""Accesses to memory by an address in a register, one for each thread."""

MATRIX_ACCESSES = frozenset({"ldmatrix", "stmatrix"})
"""Accesses to rows of shared memory by the addresses of all lanes."""

LOADS = frozenset({"ld", "ldu", "atom", "tex", "tld4", "suld"})
"""They put values from memory, textures or surfaces into registers."""

WITHOUT_RESULT = (
    JUMPS
    | BARRIERS
    | {"st", "red", "sust", "sured", "call", "nanosleep", "pmevent", "setmaxnreg", "stackrestore"}
)
"""Their first operand is read, where it is a register.

An address, as in ``prefetch.global.L2 [%rd1]``, is read as the first operand of any opcode.
"""
