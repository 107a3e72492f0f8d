"""Captured kernels: what their file holds, and bytes that are none."""

import io
import json
import zipfile
from contextlib import suppress

import pytest

from jitstudio.core.captured import (
    CapturedError,
    CapturedKernel,
    Representation,
    pack,
    unpack,
)
from jitstudio.core.captured import KernelLanguage as L

PTX = b".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n ret;\n}\n"
KERNEL = CapturedKernel(
    "k",
    "Triton 3.9.0",
    (
        Representation(L.PYTHON, "# größer\ndef k(): ...\n".encode(), "/home/you/k.py", 7),
        Representation(L.TTIR, b"module {}\n"),
        Representation(L.PTX, PTX),
    ),
    {"num_warps": "4"},
)


def test_a_kernel_comes_back_from_its_file_as_it_was():
    assert unpack(pack(KERNEL)) == KERNEL
    assert pack(unpack(pack(KERNEL))) == pack(KERNEL)
    assert (str(KERNEL.target), KERNEL.source.first_line) == ("sm_90a", 7)


def archive(head, says=None, **members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("kernel.json", head if isinstance(head, str) else json.dumps(head))
        for name, content in members.items():
            file.writestr(name, content)
            file.filelist[-1].file_size = says or len(content)
    return packed.getvalue()


def head(*listed, **other):
    given = {"format": 1, "name": "k", "origin": "", "facts": {}, "representations": listed}
    return given | other


def entry(language="ptx", member="a", **other):
    return {"language": language, "member": member, "file": "", "first_line": 1} | other


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no captured kernel"),
        (b"PK\x03\x04 and no more", "no captured kernel"),
        (archive("[" * 100_000), "no captured kernel"),
        (archive("no JSON"), "no captured kernel"),
        (archive([]), "not a JSON object"),
        (archive(head(format=2)), "of a later jitstudio"),
        (archive(head(name=3)), "its 'name'"),
        (archive(head(facts={"a": 1})), "facts are not texts"),
        (archive(head(entry())), "There is no item named 'a'"),
        (archive(head(entry("cobol"), ), a=b""), "in 'cobol', which is not known"),
        (archive(head(entry(), entry()), a=b""), "two representations in PTX"),
        (archive(head(*[entry()] * 65), a=b""), "more than 64"),
        (archive(head(entry()), a=bytes(9), says=1 << 40), "larger than 268,"),
        (archive("{" + " " * (2 << 20) + "}"), "larger than 1,048,576 bytes"),
    ],
)  # fmt: skip
def test_what_is_no_captured_kernel_is_refused_with_the_reason(content, reason):
    with pytest.raises(CapturedError, match=reason):
        unpack(content)


def test_a_file_that_is_cut_off_or_changed_is_refused_or_read():
    whole = pack(KERNEL)
    for at in range(0, len(whole), 7):
        for damaged in (whole[:at], whole[:at] + b"\xff" + whole[at + 1 :]):
            with suppress(CapturedError):
                assert unpack(damaged).name
