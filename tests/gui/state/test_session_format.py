import json

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.spec import LaunchSpec, LoadMode, Sanitizer
from jitstudio.core.project.project import BreakLine
from jitstudio.core.request import LinkMode
from jitstudio.gui.state.build_settings import Switch
from jitstudio.gui.state.file_text import Encoding, FileText, TextForm
from jitstudio.gui.state.session_format import (
    VERSION,
    SavedDocument,
    SavedSession,
    SessionFormatError,
    dump,
    load,
)

SAXPY = LaunchSpec(
    kernel="saxpy<float>",
    arguments=(("a", "2.5"), ("x", "n:random"), ("n", "4096")),
    block="128",
    load=LoadMode.DRIVER_JIT,
    expectations=("y = a * x",),
    sanitizer=Sanitizer.MEMCHECK,
)
SESSION = SavedSession(
    launches=(SAXPY,),
    documents=(
        SavedDocument(
            "kernel.cu",
            "",
            CodeKind.CUDA,
            FileText("int x; // é\n", TextForm(Encoding.UTF_8_BOM, "\r\n")),
            True,
            ("f<int>",),
            False,
        ),
        SavedDocument("lib.a", "/somewhere/lib.a", CodeKind.LIBRARY, None, False, (), True),
        SavedDocument("k", "", CodeKind.CAPTURED, None, False, (), False, stages=("ttir", "")),
    ),
    current=1,
    toolchain="13.0",
    arch=Arch(100, "a"),
    options="-lineinfo",
    link=LinkMode.LTO,
    switches=frozenset({Switch.LIBDEVICE}),
    breakpoints=(
        (BreakLine("kernel.cu", 7), "threadIdx.x == 3"),
        (BreakLine("kernel.cu", 40, is_ptx=True), ""),
    ),
)


def changed(**changes):
    return json.dumps(json.loads(dump(SESSION)) | changes).encode()


def test_what_is_written_is_read_again():
    assert load(dump(SESSION)) == SESSION


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        dump(SESSION)[:-20],
        changed(version="one"),
        changed(documents=[{"name": "k.cu"}]),
        changed(documents=None),
        dump(SESSION).replace(b'"cursor": ', b'"cursor": 1e999, "was": '),
        changed(documents=[{**json.loads(dump(SESSION))["documents"][0], "kind": "fortran"}]),
        changed(documents=[{**json.loads(dump(SESSION))["documents"][0], "encoding": "EBCDIC"}]),
        changed(settings={}),
        changed(settings={"arch": "pentium", "options": "", "link": "lto", "auto_build": True}),
        b"[" * 100_000,
    ],
)
def test_a_damaged_file_is_told(data):
    with pytest.raises(SessionFormatError, match="damaged"):
        load(data)


def test_a_newer_version_is_told_apart_from_damage():
    message = rf"newer jitstudio .* \(version {VERSION + 1}\)"
    with pytest.raises(SessionFormatError, match=message):
        load(json.dumps({"version": VERSION + 1, "tabs": []}).encode())


def test_switches_of_the_user_in_an_older_file_are_left_to_his_preferences():
    state = json.loads(dump(SESSION))
    state["settings"]["auto_build"] = False
    state["settings"]["switches"] |= {"join_ir": False, "cache": True, "unsafe_options": True}
    assert load(json.dumps(state).encode()) == SESSION
    del state["settings"]["switches"]
    assert load(json.dumps(state).encode()).switches == frozenset()


def test_half_a_character_is_kept():
    text = FileText("\ud83d\n")
    half = SESSION._replace(documents=(SESSION.documents[0]._replace(content=text),))
    assert load(dump(half)) == half


def test_an_early_version_kept_the_mark_with_the_text():
    state = json.loads(dump(SESSION))
    kernel = state["documents"][0]
    for later in ("encoding", "cursor", "on_disk"):
        del kernel[later]
    kernel["text"] = "\ufeff" + kernel["text"]
    del state["closed"]
    session = load(json.dumps(state).encode())
    assert session.documents[0].content == SESSION.documents[0].content
    assert session.closed
