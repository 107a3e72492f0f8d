"""Small kernels that have a finding or nearly have it, by whose construction the truth is known.

``python3 -m tests.analysis.findings.generated 0 1000`` builds as many kernels, 40 at a time, and
prints those of which the rules say something else.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from math import gcd
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from jitstudio.analysis.findings.find import findings
from jitstudio.analysis.sass.model import SassFunction
from tests.support import cuda, request
from tests.tools import Tools

COUNT = 40
TARGETS = ("sm_75", "sm_90", "sm_120")
Chance = random.Random
Maker = Callable[[Chance], tuple[str, set[str]]]


class Generated(NamedTuple):
    """A kernel, and the rules that apply to it by how it was made."""

    name: str
    text: str
    rules: frozenset[str]


_PARAMETERS = (
    "float* __restrict__ b, float* __restrict__ d, const float* __restrict__ a, "
    "int* __restrict__ m, const int* __restrict__ q, float* x, const float* y, "
    "const unsigned char* __restrict__ u, "
    "int n, int w, long long large"
)


def _stride(chance: Chance) -> tuple[str, set[str]]:
    step = chance.choice([1, 1, 2, 3, 5, 8, 16, 33])
    offset = chance.choice(["", f" + {chance.randrange(9)}", " + w", " - w"])
    # Half of what is moved is used at a step of 2.
    return f"b[i] = a[i * {step}{offset}];", {"strided"} if step > 2 else set()


def _rows(chance: Chance) -> tuple[str, set[str]]:
    is_row = chance.random() < 0.5
    more = chance.choice(["", " + 1", " + w", " + n + 1"])
    at = f"(i{more}) * w + k" if is_row else f"k * w + i{more}"
    text = f"float s = 0; for (int k = 0; k < n; ++k) s = s * 0.5f + a[{at}]; b[i] = s;"
    return text, {"strided"} if is_row else set()


def _division(chance: Chance) -> tuple[str, set[str]]:
    by = chance.choice(["w", "(w + n)", "q[0]", "7", "48", "64", "(1 << 5)"])
    operator = chance.choice("/%")
    left, right = ("(long long)i", f"(large + {by})") if chance.random() < 0.3 else ("i", by)
    is_known = by[0] in "7461" or by.startswith("(1")
    if right != by:
        is_known = False
    return f"m[i] = (int)({left} {operator} {right});", set() if is_known else {"division"}


def _banks(chance: Chance) -> tuple[str, set[str]]:
    row = chance.choice([1, 2, 3, 4, 5, 8, 16, 31, 32, 33, 36])
    text = (
        f"__shared__ float s[{row * 256}]; s[threadIdx.x] = a[i]; __syncthreads();"
        f"b[i] = s[threadIdx.x * {row} + {chance.randrange(3)}];"
    )
    if row <= 2:
        text = text.replace(f"s[{row * 256}]", "s[1024]")
    return text, {"banks"} if gcd(row, 32) > 1 else set()


def _atomics(chance: Chance) -> tuple[str, set[str]]:
    choice = chance.randrange(5)
    target = ("x", "x + 7", "x + blockIdx.x", "x + i", "x + w")[choice]
    guard = chance.choice(["", "", "if (i < n) ", "if (threadIdx.x == 0) ", "if (i % 32 == 0) "])
    is_one = choice != 3 and "==" not in guard
    return f"{guard}atomicAdd({target}, a[i]);", {"atomics"} if is_one else set()


def _reduction(chance: Chance) -> tuple[str, set[str]]:
    interleaved = chance.random() < 0.5
    size = chance.choice([128, 256])
    loop, test = (
        (f"for (int k = 1; k < {size}; k *= 2)", "t % (2 * k) == 0")
        if interleaved
        else (f"for (int k = {size // 2}; k > 0; k /= 2)", "t < k")
    )
    text = (
        f"__shared__ float s[{size}]; int t = threadIdx.x; s[t] = a[i];"
        f"{loop} {{ __syncthreads(); if ({test}) s[t] += s[t + k]; }}"
        "if (t == 0) b[blockIdx.x] = s[0];"
    )
    return text, {"parted"} if interleaved else set()


def _double(chance: Chance) -> tuple[str, set[str]]:
    literal = f"{chance.randrange(1, 9)}.1"
    is_double = chance.random() < 0.5
    suffix = "" if is_double else "f"
    return f"b[i] = a[i] * {literal}{suffix};", {"double"} if is_double else set()


def _local(chance: Chance) -> tuple[str, set[str]]:
    is_known = chance.random() < 0.5
    at = "k" if is_known else f"(k * {chance.choice([3, 5, 7])} + w) & 63"
    unrolled = "#pragma unroll\n" if is_known else "#pragma unroll 1\n"
    count = "8" if is_known else "n"
    loop = f"for (int k = 0; k < {count}; ++k) t[{at}] = a[k * w + i];"
    text = (
        f"float t[64] = {{}};\n{unrolled}{loop}\n"
        f"b[i] = t[{'3' if is_known else 'n & 63'}] + t[{'5' if is_known else 'w & 63'}];"
    )
    return text, set() if is_known else {"local"}


def _wide(chance: Chance) -> tuple[str, set[str]]:
    kind = chance.choice(["long long", "size_t"])
    widened = chance.random() < 0.5
    cast = f"({kind})" if widened else ""
    bound = chance.choice(["large", "n"])
    size = chance.choice(["blockDim.x", "256"])
    wraps = not widened and bound == "large"
    text = f"{kind} j = {cast}blockIdx.x * {size} + threadIdx.x; if (j < ({kind}){bound}) b[j] = 1;"
    return text, {"wraps"} if wraps else set()


def _alias(chance: Chance) -> tuple[str, set[str]]:
    form = chance.randrange(4)
    start = "for (int k = 0; k < n; ++k)"
    text, found = (
        (f"{start} x[i] += y[k * w + i];", True),
        (f"float s = x[i]; {start} s += y[k * w + i]; x[i] = s;", False),
        (f"{start} b[i] += a[k * w + i];", False),
        (f"{start} x[k * w + i] = a[k * w + i] * y[0];", True),
    )[form]
    return text, {"aliased"} if found else set()


def _fused(chance: Chance) -> tuple[str, set[str]]:
    is_apart = chance.random() < 0.5
    text = "__fadd_rn(__fmul_rn(a[i], 3.0f), 1.5f)" if is_apart else "a[i] * 3.0f + 1.5f"
    return f"b[i] = {text};", {"unfused"} if is_apart else set()


def _loop(chance: Chance) -> tuple[str, set[str]]:
    count = chance.choice(["q[i]", "q[blockIdx.x]", "n", "w"])
    text = f"float s = 0; for (int k = 0; k < {count}; ++k) s = s * 0.5f + k; b[i] = s;"
    return text, {"divergent"} if count == "q[i]" else set()


def _narrow(chance: Chance) -> tuple[str, set[str]]:
    is_wide = chance.random() < 0.5
    wide = "uchar4 v = ((const uchar4*)u)[i]; b[i] = v.x + v.y * v.z - v.w;"
    return wide if is_wide else "b[i] = u[i];", set() if is_wide else {"narrow"}


def _swap(chance: Chance) -> tuple[str, set[str]]:
    counting = "for (int k = 0; k < n; ++k)"
    retry = "seen = old; old = atomicCAS(m, seen, seen + q[i]);"
    lock = "while (atomicCAS(m + 1, 0, 1) != 0); __threadfence(); atomicExch(m + 1, 0);"
    text, found = chance.choice(
        [
            (f"int old = m[0], seen; do {{ {retry} }} while (old != seen);", True),
            (lock, True),
            (f"{counting} atomicCAS(m + i, k, k + 1);", False),
            (f"int c = 0; {counting} c += atomicCAS(m + i, k, 1) == k; b[i] = c;", False),
        ]
    )
    return text, {"divergent"} if found else set()


_MAKERS: tuple[Maker, ...] = (
    *(_stride, _rows, _division, _banks, _atomics, _reduction, _double, _local, _wide),
    *(_alias, _fused, _loop, _narrow, _swap),
)


def generate(chance: Chance, name: str) -> Generated:
    """Returns a kernel of one or two things that are found or nearly so, in a random frame."""
    makers = chance.sample(_MAKERS, chance.choice([1, 1, 2]))
    # Bytes are of no weight beside a loop over words.
    makers = [maker for maker in makers if maker is not _narrow or len(makers) == 1]
    made = [maker(chance) for maker in makers or [_narrow]]
    # What the second stores must not cover what the first does.
    texts = [text.replace("b[", "bd"[at] + "[") for at, (text, _) in enumerate(made)]
    text = "\n".join(f"{{ {text} }}" for text in texts)
    index = "int" if _rows in makers else chance.choice(["int", "unsigned"])
    place = f"{index} i = blockIdx.x * blockDim.x + threadIdx.x;"
    frames = ["{}", "{}", "if (i < n) {{ {} }}", "helper", "template"]
    # All threads of a block come to a barrier.
    frame = chance.choice(frames[:1] if {_banks, _reduction} & {*makers} else frames)
    inlined, body = "", frame.format(text)
    if frame in ("helper", "template"):
        names = [part.split()[-1].lstrip("*") for part in _PARAMETERS.split(",")]
        head = "template <typename T> " if frame == "template" else ""
        type_ = "T" if frame == "template" else index
        head = f"{head}__forceinline__ __device__ void {name}_part({type_} i, {_PARAMETERS})"
        inlined, body = f"{head}\n{{\n{text}\n}}\n", f"{name}_part(i, {', '.join(names)});"
    head = f'extern "C" __global__ void {name}({_PARAMETERS})'
    rules = frozenset[str]().union(*(of_it for _, of_it in made))
    return Generated(name, f"{inlined}{head}\n{{\n{place}\n{body}\n}}\n", rules)


def batch(seed: int, count: int = COUNT) -> list[Generated]:
    """Returns kernels to be built together."""
    chance = Chance(seed)
    return [generate(chance, f"k{number}") for number in range(count)]


def has_local_memory(function: SassFunction) -> bool:
    """Returns whether a function loads from local memory."""
    return any(opcode.startswith("LDL") for opcode in function.opcodes)


def told(tools: Tools, kernels: list[Generated], arch: str) -> Iterator[tuple[Generated, set[str]]]:
    """Yields each kernel with the rules that apply to its machine code."""
    asked = request(cuda("".join(kernel.text for kernel in kernels)), emit="cubin", arch=arch)
    built = tools.build(asked)
    code = {f.name: f for f in tools.code(tools.cubin(asked).content).functions}
    for kernel in kernels:
        found = findings(code[kernel.name], built.resources_of(kernel.name))
        rules = {finding.rule for finding in found}
        if "local" in kernel.rules - rules and not has_local_memory(code[kernel.name]):
            # The compiler may resolve the index by moves, which is told in its place.
            rules = {"local" if rule == "predicated" else rule for rule in rules}
        yield kernel, rules


def main() -> None:
    """Builds batches for some targets, and prints what is told wrongly."""
    first, rounds = map(int, sys.argv[1:3])
    wrong = 0
    with TemporaryDirectory() as folder:
        tools = Tools(Path(folder))
        for seed in range(first, first + -(-rounds // COUNT)):
            for arch in sys.argv[3:] or TARGETS:
                for kernel, rules in told(tools, batch(seed), arch):
                    if rules != kernel.rules:
                        wrong += 1
                        print(f"seed {seed} {arch}: {rules} in place of {set(kernel.rules)}")
                        print(kernel.text, flush=True)
        tools.close()
    print(f"{wrong} wrong")


if __name__ == "__main__":
    main()
