"""Hostile inputs, made from a seed: what somebody may put into a project, a source or a file.

An attack is a folder and a command. What must hold afterwards is the same for all: see `siege`.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.support import CRASHING_IR, KERNEL

TITLE = "\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x9b31m\u202e"
"""Sets a terminal's title and clipboard, changes its colour and turns the text round."""

LLVM_IR = CRASHING_IR.replace("addrspace(9)", "addrspace(1)")
_HUGE = 1 << 40
_PUMPS = (" ", "\t", "\n", "(", "<", "{", '"', "'", "/*", "a", "_Z", ":", "9", "\\\n", "#", "*&")
# Those of LLVM stand more often: -Xnvvm=-Xopt -Xnvvm=-load=FILE once loaded any library.
_INNER = ("-Xopt", "-Xopt", "-Xllc", "-Xlnk", "-Xlto", "-Xptxas", "-Xcudafe")
_OUTER = ("-Xnvvm", "-Xnvvm", "-Xnvvm", "-Xopt", "-Xptxas")
_ADDRESSES = (
    "",
    "",
    "",
    "",
    "",
    "",
    "nvrtc:",
    "libnvvm:",
    "nvvm:",
    "nvjitlink:",
    "nvdisasm:",
    "nvfatbin:",
)


@dataclass(frozen=True)
class Place:
    """The folders of one attack.

    Attributes:
        home: The user's home folder, with a secret in it.
        folder: What came from elsewhere; the command runs in it.
        library: A shared library that leaves a mark where it is loaded.
        samples: Real outputs of the compilers: cubin, fatbin, LTO-IR, PTX.
    """

    home: Path
    folder: Path
    library: Path
    samples: dict[str, bytes]

    @property
    def secret(self) -> Path:
        """What nothing from elsewhere may read."""
        return self.home / "secret.txt"


@dataclass(frozen=True)
class Attack:
    """One hostile input and how it meets the program.

    Attributes:
        kind: What is hostile about it.
        words: The command, without the program's name.
        confined: Whether it comes as a project, so that nothing outside its folder may be read.
        terminal: Whether it is run on a terminal.
    """

    kind: str
    words: tuple[str, ...]
    confined: bool = False
    terminal: bool = False


Maker = Callable[[Random, Place], Attack]


def attacks(seed: int, count: int) -> Iterator[tuple[int, Maker]]:
    """So many makers of attacks, each with the seed of its own that it is to be called with.

    Every kind comes in turn, so that few attacks already cover all.
    """
    rng = Random(seed)
    for number in range(count):
        yield rng.getrandbits(32), KINDS[number % len(KINDS)]


def _options_load(rng: Random, place: Place) -> Attack:
    flag = rng.choice(("-load", "-load", "--load", "-load-pass-plugin", "-fpass-plugin"))
    words = [f"{flag}={place.library}"] if rng.random() < 0.7 else [flag, str(place.library)]
    state = _state(rng) | {"link": "lto"}
    return _written(rng, place, "options that load code", state, _handed(rng, words))


def _options_write(rng: Random, place: Place) -> Attack:
    target = rng.choice((place.home / ".bashrc", place.home / "new", place.folder / "new"))
    direct = ("--time", "--fdevice-time-trace", "--use-bundled-headers", "--create-pch")
    inner = ("--list", "--xref", "-info-output-file", "-pass-remarks-output", "-track-memory -o")
    if rng.random() < 0.5:
        options = [f"{rng.choice(direct)}={target}"]
    else:
        options = _handed(rng, [f"{rng.choice(inner)}={target}"])
    name = rng.choice(("k.cu", f"k;touch {place.home}/OWNED;#.cu"))
    return _project(rng, place, "options that write", options=options, name=name)


def _options_read(rng: Random, place: Place) -> Attack:
    secret = str(place.secret)
    options = rng.choice(
        (
            [f"--pre-include={secret}"],
            ["-include", secret],
            [f"-I{place.home}", "--pre-include=secret.txt"],
            _handed(rng, [f"--options-file={secret}"]),
            [f"@{secret}"],
            [f"--use-pch={secret}"],
        )
    )
    return _project(rng, place, "options that read", options=options)


def _text_reads(rng: Random, place: Place) -> Attack:
    away = os.path.relpath(place.secret, place.folder)
    (place.folder / "link.h").symlink_to(place.secret)
    path = rng.choice((str(place.secret), away, "link.h", f"./././{away}"))
    include = rng.choice(
        (
            f'#include "{path}"',
            f'#/**/include "{path}"',
            f'#inc\\\nlude "{path}"',
            f'%:include "{path}"',
            f'#define F "{path}"\n#include F',
            f'#embed "{path}"',
            f"#include <{path}>",
        )
    )
    return _project(rng, place, "texts that read", text=f"{include}\n{KERNEL}")


def _paths_of_a_project(rng: Random, place: Place) -> Attack:
    path = rng.choice(
        (
            str(place.secret),
            f"../{place.home.name}/secret.txt",
            "~/secret.txt",
            "C:\\secret.txt",
            "a/../../x",
            "\0",
            "",
            "link",
            "/dev/zero",
            "/proc/self/environ",
        )
    )
    (place.folder / "link").symlink_to(place.secret)
    what = rng.choice(("modules", "headers"))
    state = _state(rng)
    state.setdefault(what, []).append({"name": "other.h", "kind": "cuda", "path": path})
    state["launches"] = [{"kernel": "fine", "arguments": {"p": f"4:file({path})"}}]
    return _written(rng, place, "paths of a project", state, [])


def _damaged_project(rng: Random, place: Place) -> Attack:
    state = _state(rng)
    content = json.dumps(state).encode()
    match rng.randrange(6):
        case 0:
            content = _mutated(rng, content)
        case 1:
            content = b'{"version":1,"modules":' + b"[" * 100_000
        case 2:
            key = rng.choice(list(state))
            wrong = (None, -1, 1e308, [], {}, "x" * 100_000, [[[]]], True, int("9" * 4000))
            content = json.dumps(state | {key: rng.choice(wrong)}).encode()
        case 3:
            content = b"\xff\xfe" + content
        case 4:
            content = json.dumps(state | {"options": rng.choice(_PUMPS) * 100_000}).encode()
        case 5:
            content = json.dumps(state).replace("fine", "\\ud800").encode()
    (place.folder / "given.jitproj").write_bytes(content)
    return Attack("damaged project", (*_command(rng), "given.jitproj"), confined=True)


def _odd_names(rng: Random, place: Place) -> Attack:
    pump = rng.choice((" ", "a", "(", ":", "'", '"', "é", "\u202e", "\n", ";", "$(", "`", "-"))
    name = pump * rng.choice((1, 30, 1500)) + rng.choice((".cu", ".h.cu", " .cu"))
    return _project(rng, place, "odd names", name=name, text="__global__ void k( {\n")


def _heavy_text(rng: Random, place: Place) -> Attack:
    pump = rng.choice(_PUMPS) + rng.choice(("", "", rng.choice(_PUMPS)))
    text = f"{KERNEL}{rng.choice(('', '// ', 'int x = '))}{pump * (400_000 // len(pump))}\n"
    return _source(rng, place, "heavy text", rng.choice((".cu", ".ptx", ".ll")), text.encode())


def _odd_bytes(rng: Random, place: Place) -> Attack:
    start = rng.choice((KERNEL.encode(), LLVM_IR.encode(), place.samples["ptx"], b""))
    ending = rng.choice((".cu", ".ptx", ".ll", ".bc", ".cuh"))
    return _source(rng, place, "odd bytes", ending, _mutated(rng, start + rng.randbytes(20)))


def _crashing(rng: Random, place: Place) -> Attack:
    text = CRASHING_IR.replace("addrspace(9)", f"addrspace({rng.randrange(12)})")
    attack = _source(rng, place, "crashing", ".ll", text.encode())
    return Attack(attack.kind, (*attack.words, "--arch", rng.choice(("sm_90", "sm_100"))))


def _machine_code(rng: Random, place: Place) -> Attack:
    ending, content = rng.choice(list(place.samples.items()))
    content = rng.choice((_mutated, _with_large_numbers, _truncated))(rng, content)
    return _source(rng, place, "damaged machine code", f".{ending}", content)


def _no_file(rng: Random, place: Place) -> Attack:
    name = f"odd{rng.choice(('.cu', '.cubin', '.jitproj', '.ptx', '.h', '.fatbin', '.ll'))}"
    path = place.folder / name
    match rng.randrange(7):
        case 0:
            os.mkfifo(path)
        case 1:
            path.symlink_to(path)
        case 2:
            path.symlink_to("/dev/zero")
        case 3:
            path.mkdir()
        case 4:
            with path.open("wb") as file:
                file.truncate(_HUGE)
        case 5:
            path.symlink_to("/proc/self/mem")
        case 6:
            with socket.socket(socket.AF_UNIX) as made:
                here = os.open(place.folder, os.O_RDONLY)
                made.bind(f"/proc/self/fd/{here}/{name}")
                os.close(here)
    (place.folder / "good.cu").write_text(f'#include "{name}"\n{KERNEL}', "utf-8")
    words = rng.choice(
        (
            (*_command(rng), name),
            ("build", "good.cu"),
            ("build", "good.cu", "--header", f"x.h={name}"),
            ("build", "good.cu", "--library", name),
            ("build", "good.cu", f"--option=--pre-include={name}"),
            ("build", "good.cu", f"--option=-I{name}"),
            ("diff", "good.cu", name),
            ("build", "good.cu", "-o", name),
        )
    )
    return Attack("what is not a file", words)


def _odd_arguments(rng: Random, place: Place) -> Attack:
    (place.folder / "good.cu").write_text(KERNEL, "utf-8")
    values = ("", "-", "--", "\x1b]0;x\x07", "\udc80", "9" * 5000, "NaN", "-1", "1e999", "=", "a=")
    value = rng.choice((*values, "\u202e", "/", "..", "*", "[" * 3000, ",", "sm_", "0x", "🙂"))
    flags = "arch emit option header name-expression library fat timeout repeat compare-targets"
    flag = f"--{rng.choice(flags.split())}="
    return Attack("odd arguments", ("build", "good.cu", f"{flag}{value}"))


def _odd_launch(rng: Random, place: Place) -> Attack:
    (place.folder / "good.cu").write_text(KERNEL, "utf-8")
    texts = ("__import__('os').system('x')", "9**9**9", "(" * 5000, "n" * 100_000, "\x1b[2J", "-1")
    text = rng.choice((*texts, "expr(p.tofile('x'))", "file(/dev/zero)", "random(1,2", "1e308*10"))
    flag = rng.choice(("--arg=p=", "--grid=", "--block=", "--cover=", "--shared=", "--expect="))
    command = rng.choice((("run",), ("sweep", "--axis", f"block={text}")))
    words = (command[0], "good.cu", *command[1:], "--kernel", "fine", f"{flag}{text}")
    return Attack("odd launches", (*words, *(() if flag == "--grid=" else ("--grid", "1"))))


def _escapes(rng: Random, place: Place) -> Attack:
    texts = (
        f"#error {TITLE}\n",
        f'#line 1 "{TITLE}.cu"\n__global__ void k( {{\n',
        f"#warning {TITLE}\n{KERNEL}",
        f'{KERNEL}asm("{TITLE}");\n',
        f"__global__ void {TITLE}() {{}}\n",
        f"{KERNEL}// {TITLE}\n",
    )
    name = f"{TITLE if rng.random() < 0.3 else 'escapes'}.cu"
    (place.folder / name).write_text(rng.choice(texts), "utf-8")
    words = rng.choice((("build", "--emit", "ptx,sass"), ("inspect", "--code"), ("build",)))
    return Attack("escape sequences", (words[0], name, *words[1:]), terminal=True)


KINDS: tuple[Maker, ...] = (
    _options_load,
    _options_write,
    _options_read,
    _text_reads,
    _paths_of_a_project,
    _damaged_project,
    _odd_names,
    _heavy_text,
    _odd_bytes,
    _crashing,
    _machine_code,
    _no_file,
    _odd_arguments,
    _odd_launch,
    _escapes,
)


def _command(rng: Random) -> tuple[str, ...]:
    return rng.choice((("build",), ("build", "--json"), ("inspect",), ("build", "--emit", "sass")))


def _handed(rng: Random, words: list[str]) -> list[str]:
    """Words for a tool further on, handed on in any of the ways there are, also nested."""
    for wrappers in (_INNER, _OUTER)[: rng.choice((0, 1, 1, 2, 2))]:
        wrapper = rng.choice(wrappers)
        if wrappers is _OUTER or rng.random() < 0.3:
            words = [f"{wrapper}={word}" for word in words]
        else:
            words = [part for word in words for part in (wrapper, word)]
    return [f"{rng.choice(_ADDRESSES)}{words[0]}", *words[1:]]


def _state(rng: Random, text: str = KERNEL, name: str = "k.cu") -> dict[str, object]:
    kind = rng.choice(("cuda", "cuda", "llvm"))
    if kind == "llvm" and text is KERNEL:
        text, name = LLVM_IR, name.replace(".cu", ".ll")
    else:
        kind = "cuda"
    return {
        "version": 1,
        "target": rng.choice(("sm_90", "sm_100")),
        "options": "",
        "link": rng.choice(("none", "ptx", "lto")),
        "libdevice": rng.random() < 0.3,
        "modules": [{"name": name, "kind": kind, "text": text.split("\n")}],
    }


def _project(
    rng: Random,
    place: Place,
    kind: str,
    *,
    options: list[str] | None = None,
    text: str = KERNEL,
    name: str = "k.cu",
) -> Attack:
    return _written(rng, place, kind, _state(rng, text, name), options or [])


def _quoted(rng: Random, word: str) -> str:
    match rng.randrange(3):
        case 0 if "'" not in word:
            return f"'{word}'"
        case 1:
            return "".join(rng.choice((letter, f"\\{letter}")) for letter in word)
    return word.replace(" ", "\\ ").replace(";", "\\;").replace("#", "\\#")


def _written(
    rng: Random, place: Place, kind: str, state: dict[str, object], options: list[str]
) -> Attack:
    state["options"] = " ".join(_quoted(rng, word) for word in options)
    (place.folder / "given.jitproj").write_text(json.dumps(state), "utf-8")
    return Attack(kind, (*_command(rng), "given.jitproj"), confined=True)


def _source(rng: Random, place: Place, kind: str, ending: str, content: bytes) -> Attack:
    (place.folder / f"given{ending}").write_bytes(content)
    (place.folder / "good.cu").write_text(KERNEL, "utf-8")
    command = rng.choice((_command(rng), ("diff", "good.cu"), ("build", "good.cu", "--lto")))
    return Attack(kind, (*command, f"given{ending}"))


def _mutated(rng: Random, content: bytes) -> bytes:
    made = bytearray(content or b"\0")
    for _ in range(rng.choice((1, 4, 40))):
        at = rng.randrange(len(made))
        match rng.randrange(4):
            case 0:
                made[at] ^= 1 << rng.randrange(8)
            case 1:
                del made[at : at + rng.randrange(8)]
                made = made or bytearray(1)
            case 2:
                made[at:at] = rng.randbytes(rng.randrange(8))
            case 3:
                made[at:at] = made[at : at + rng.randrange(200)]
    return bytes(made)


def _truncated(rng: Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content))]


def _with_large_numbers(rng: Random, content: bytes) -> bytes:
    made = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(0, max(1, min(len(made), 4096) - 8), 4)
        made[at : at + 4] = rng.choice((b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x40"))
    return bytes(made)
