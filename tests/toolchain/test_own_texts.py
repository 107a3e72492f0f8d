"""The author's headers are read once for a compile, and anew for the next."""

import os
import sys
from collections import Counter

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain import nvrtc, own_texts

MODULE = b"""\
#include "a.h"
#include "more/b.h"
#include <cstdint>
__global__ void k(int64_t* p) { *p = ONE + two(); }
int main() { int64_t* p; k<<<1, 1>>>(p); return 0; }
"""
A = b"#pragma once\n#define ONE 1\n"
B = b"#pragma once\n__device__ inline long two() { return 2; }\n"
# Each makes a further part of the compile look into the headers.
VARIANTS = {
    "plain": b"",
    "cuRAND": b"// #include <curand_kernel.h>\n",
}


def compiled(folder, texts):
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text)
    name = str(folder / "k.cu")
    source = (Ref(CodeKind.CUDA, name), MODULE)
    job = Job(Tool.NVRTC, name, (source,), (CodeKind.PTX,), ("-arch=compute_90",))
    return nvrtc.compile_cuda(job)


@pytest.mark.parametrize("variant", VARIANTS)
def test_own_headers_are_read_once_for_a_compile(tmp_path, monkeypatch, variant):
    counts = Counter()
    text_at = own_texts._text_at

    def counting(confined_to, name):
        counts[os.path.relpath(name, tmp_path)] += 1
        return text_at(confined_to, name)

    monkeypatch.setattr(own_texts, "_text_at", counting)
    texts = {"a.h": A, "more/b.h": VARIANTS[variant] + B}
    first = compiled(tmp_path, texts)
    assert first.ok, first.error_log
    assert counts == dict.fromkeys(texts, 1)
    second = compiled(tmp_path, texts | {"a.h": A.replace(b"1", b"40")})
    assert second.code[CodeKind.PTX] != first.code[CodeKind.PTX]
    assert counts == dict.fromkeys(texts, 2)


def test_headers_that_include_each_other_are_looked_at_once(tmp_path):
    """Each turn through `../` makes a further name of the same file."""
    counts, is_over = Counter(), []

    def note(event, arguments):
        if event == "open" and not is_over:
            counts[os.path.basename(str(arguments[0]))] += 1

    sys.addaudithook(note)
    turning = {"a.h": b'#include "more/b.h"\n' + A, "more/b.h": b'#include "../a.h"\n' + B}
    compiled(tmp_path, turning)
    is_over.append(True)
    assert counts["a.h"] < 10
    assert counts["b.h"] < 10
