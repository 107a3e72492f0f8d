"""Traces of NVRTC, read."""

import json

import pytest

from jitstudio.analysis.time_trace import LARGEST_TRACE, TraceError, ptxas_times, read_trace

HEADER, CLASS = "Processing Header File", "Instantiating Template Class"


INFINITE = b'{"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": Infinity}]}'


def event(name, start, length, detail=""):
    return {"ph": "X", "name": name, "ts": start, "dur": length, "args": {"detail": detail}}


def trace(*events):
    return read_trace(json.dumps({"traceEvents": [{}, *events]}).encode())


def test_time_within_a_header_counts_once():
    read = trace(
        event("CUDA C++ Front-End", 0, 10_000, "k.cu"),
        event(HEADER, 1_000, 4_000, "/in/a.h"),
        event(HEADER, 2_000, 1_000, "/in/b.h"),
        event(HEADER, 6_000, 500, "/in/b.h"),
        event("LibNVVM", 10_000, 2_000),
    )
    assert read.total_ms == 12
    assert [(part.name, part.ms, part.own_ms) for part in read.phases] == [
        ("CUDA C++ Front-End", 10, 5.5),
        ("LibNVVM", 2, 2),
    ]
    assert [(p.name, p.ms, p.own_ms, p.count) for p in read.headers] == [
        ("/in/a.h", 4, 3, 1),
        ("/in/b.h", 1.5, 1.5, 2),
    ]
    # The second time no other header includes it.
    assert [(part.name, part.ms) for part in read.includes] == [("/in/a.h", 4), ("/in/b.h", 0.5)]


def test_what_begins_as_another_ends_lies_beside_that():
    # 0.1 + 0.2 is more than 0.3.
    read = trace(event(HEADER, 100, 200, "a.h"), event(HEADER, 300, 50, "b.h"))
    assert [span.detail for span in read.spans] == ["a.h", "b.h"]
    assert read.total_ms == pytest.approx(0.25)


def test_instances_of_a_template_are_one_row():
    read = trace(
        event(CLASS, 0, 100, "F [F<2>]"),
        event(CLASS, 10, 50, "F [F<1>]"),
        event(CLASS, 200, 100, "F [F<3>]"),
    )
    # F<1> lies within F<2>.
    assert [(part.name, part.ms, part.count) for part in read.templates] == [("F", 0.2, 2)]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"traceEvents": [{"ph": "X"}]}', b"\xff", INFINITE]
)
def test_what_is_no_trace_is_said(content):
    with pytest.raises(TraceError, match="damaged or of another kind"):
        read_trace(content)


def test_a_trace_of_200_mb_is_not_read():
    with pytest.raises(
        TraceError, match=r"has 200 MiB, and no more than 64 are read\. Write.*trace=FILE"
    ):
        read_trace(b"{}", 200 << 20)
    with pytest.raises(TraceError, match="no more than"):
        read_trace(b" " * (LARGEST_TRACE + 1))


def test_ptxas_says_its_time_for_each_kernel():
    log = (
        "ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
        "ptxas info    : Used 8 registers\n"
        "ptxas info    : Compile time = 19.366 ms\n"
        "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
        "ptxas info    : Compiling entry function 'c' for 'sm_90'\n"
        "ptxas info    : Compile time = 2.000 ms\n"
    )
    assert [(part.name, part.ms) for part in ptxas_times(log)] == [("a", 19.366), ("c", 2)]
