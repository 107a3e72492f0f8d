"""The opcodes of PTX by their effect, for readers that follow control, memory and registers."""

ENDS = frozenset({"ret", "exit", "trap"})
"""Unguarded, they end the thread or return."""

JUMPS = frozenset({"bra", "brx"})

LEAVING = ENDS | JUMPS
"""Unguarded, they never lead to the next instruction."""

BARRIERS = frozenset({"bar", "barrier"})

ACCESSES = frozenset({"ld", "ldu", "st", "atom", "red"})
"""Accesses to memory by an address in a register, one for each thread."""

PLAIN_LOADS = frozenset({"ld", "ldu"})

PLAIN_ACCESSES = frozenset({"ld", "st"})
"""Accesses that are not atomic, of one element or a vector."""

MATRIX_ACCESSES = frozenset({"ldmatrix", "stmatrix"})
"""Accesses to rows of shared memory by the addresses of all lanes."""

LOADS = frozenset({"ld", "ldu", "atom", "tex", "tld4", "suld"})
"""They put values from memory, textures or surfaces into registers."""

TOUCHING = ACCESSES | MATRIX_ACCESSES | LOADS | {"sust", "sured", "cp", "wmma"}
"""Where an operand is in brackets, they read or write memory."""

WITHOUT_RESULT = (
    JUMPS
    | BARRIERS
    | {"st", "red", "sust", "sured", "call", "nanosleep", "pmevent", "setmaxnreg", "stackrestore"}
)
"""Their first operand is read, where it is a register.

An address, as in ``prefetch.global.L2 [%rd1]``, is read as the first operand of any opcode.
"""

CALCULATIONS = frozenset(
    (
        *("add", "sub", "mul", "mad", "fma", "div", "rem", "neg", "abs", "min", "max", "mov"),
        *("setp", "set", "selp", "slct", "cvt", "cvta", "shl", "shr", "shf", "and", "or", "xor"),
        *("not", "lop3", "prmt", "bfe", "bfi", "popc", "clz", "brev", "sqrt", "rsqrt", "rcp"),
        *("ex2", "lg2", "sin", "cos", "tanh", "copysign", "sad", "dp4a", "dp2a", "mul24", "mad24"),
        *("bfind", "bmsk", "szext", "fns", "cnot", "testp", "addc", "subc", "madc"),
    )
)
"""They write registers only, from registers and numbers of the same thread."""

OF_OTHERS = frozenset({"shfl", "mapa"})
"""Their result is their second operand in another lane or block, which the third one chooses."""

EXCHANGES = frozenset({"shfl", "vote", "activemask"})
"""They write registers only, from those of the lanes of a warp."""

PICKING_BITS = frozenset({"and", "or", "xor", "not", "lop3", "bfi", "bfe", "shr", "shf", "prmt"})
"""Their result may have some bits of an operand, and not all."""

COMPARISONS = frozenset({"set", "setp"})

CHOICES = frozenset({"selp", "slct"})
"""Their result is their second or third operand; the last one decides."""

SAME_VALUE = frozenset({"mov", "cvt"})
"""Their result is the number that they read."""

SAME_ADDRESS = frozenset({"mov", "cvta"})
"""Their result is the address that they read."""

ADDITIONS = frozenset({"add", "sub"})

SHIFTS = frozenset({"shl", "shr"})

PRODUCTS = frozenset({"mul", "mad"})

DIVISIONS = frozenset({"div", "rem", "sqrt", "rcp"})
"""Without .approx or .full ptxas expands them to code with branches, or to calls."""

ATOMICS = frozenset({"atom", "red"})

PARTING = JUMPS | {"call", "ret", "exit"}
"""The threads of a warp may go different ways behind them."""

ORDERING = frozenset({"call", "membar", "fence"})
"""What ptxas moves over others does not pass them."""

PASSING_ON = frozenset({"st", "red", "atom", "call"})
"""They hand the values of their operands to memory or to a function."""

DECIDING = frozenset(
    ("st", "sust", "red", "atom", "bra", "brx", "call", "vote", "match", "redux", "bar", "ld")
)
"""What they read decides about memory, ways or other threads."""

WAITING = frozenset({"atom", "nanosleep", "mbarrier", "call"})
"""A loop with any of them may wait for other threads."""
