"""Whatever is put into a project, a source or a file: nothing is harmed, and the answer is words.

One attack of each kind runs by default, a thousand by ``.ci/run --bench``.
"""

from __future__ import annotations

import hashlib
import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from tests.hostile.attacks import KINDS, Attack, Place, attacks
from tests.support import KERNEL, cuda, one_in, request

SECRET = "a-word-that-nobody-outside-may-read"
LIMIT_S = 100
"""Seconds until a command counts as hanging; the heaviest takes a few."""

MOST_BYTES = 700 << 20
"""Of memory that the program's own process takes: its children are limited by it."""

MANY, PARTS = 1000, 20
"""Attacks, and their parts, so that all processors have some."""

LOADED = "loaded"
LIBRARY = """
#include <fcntl.h>
__attribute__((constructor)) static void mark(void) {{ creat("{mark}", 0600); }}
"""


@dataclass(frozen=True)
class Ran:
    """How a command ended: exit status, what it printed, its largest memory in bytes."""

    code: int
    printed: str
    memory: int


@pytest.fixture(scope="session")
def samples(tools) -> dict[str, bytes]:
    wanted = request(cuda(KERNEL), emit="ptx,cubin,ltoir,fatbin")
    return {made.kind.value: made.content for made in tools.build(wanted).artifacts}


@pytest.fixture
def siege(tmp_path, environment, samples) -> Callable[[Callable, int], None]:
    """Makes an attack and sees that nothing is harmed by it."""
    library = tmp_path / "data.bin"
    _compile_library(library, tmp_path / LOADED)

    def besiege(make: Callable[[Random, Place], Attack], seed: int) -> None:
        root = tmp_path / str(seed)
        place = Place(root / "home", root / "given", root / "given" / "data.bin", samples)
        for folder in (place.home, place.folder, root / "tmp"):
            folder.mkdir(parents=True)
        place.secret.write_text(f"#error {SECRET}\n", "utf-8")
        (place.home / ".bashrc").write_text("# mine\n", "utf-8")
        if library.exists():
            shutil.copy(library, place.library)
        attack = make(Random(seed), place)
        about = f"{attack.kind} {seed}: {attack.words!r}"
        before = _files(place.home)
        brought = _files(place.folder)
        ran = _run(attack, place, environment)
        assert "Traceback" not in ran.printed, (about, ran.printed[-3000:])
        assert ran.code in range(6), (about, ran)
        assert ran.memory < MOST_BYTES, (about, ran.memory)
        assert not (tmp_path / LOADED).exists(), f"{about}: code was loaded"
        assert _files(place.home) == before, f"{about}: the home folder has changed"
        assert not list((root / "tmp").iterdir()), f"{about}: something was left"
        if attack.confined:
            assert SECRET not in ran.printed, f"{about}: a secret was read"
            assert _files(place.folder) == brought, f"{about}: something was written"
        if attack.terminal:
            assert not set(ran.printed) & set("\x1b\x07\x9b\u202e"), f"{about}: {ran.printed!r}"
        shutil.rmtree(root)

    return besiege


@pytest.mark.parametrize("kind", one_in(3, KINDS), ids=lambda make: make.__name__.strip("_"))
def test_nothing_is_harmed(siege, kind):
    siege(kind, 1)


@pytest.mark.bench
@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_is_harmed_by_a_thousand(siege, part):
    failed, share = [], MANY // PARTS
    for seed, make in islice(attacks(20261122, MANY), part * share, (part + 1) * share):
        try:
            siege(make, seed)
        except AssertionError as error:
            failed.append(str(error))
    assert failed == [], "\n\n".join(failed)


def _compile_library(library: Path, mark: Path) -> None:
    """Make the library where there is a C compiler; without one the attacks name no file."""
    compiler = shutil.which("cc")
    if compiler is None:
        return
    words = [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", library]
    subprocess.run(words, input=LIBRARY.format(mark=mark), text=True, check=True)


def _files(folder: Path) -> dict[str, str]:
    """Every file below a folder with what tells its content from others."""
    found = {}
    for path in sorted(folder.rglob("*")):
        content = b""
        if path.is_file() and not path.is_symlink() and path.stat().st_size < 1 << 30:
            content = path.read_bytes()
        found[str(path)] = hashlib.sha256(content).hexdigest()
    return found


def _run(attack: Attack, place: Place, environment: dict[str, str]) -> Ran:
    root = place.home.parent
    around = environment | {
        "HOME": str(place.home),
        "TMPDIR": str(root / "tmp"),
        "JITSTUDIO_CACHE_DIR": str(root / "cache" / "builds"),
        "XDG_CACHE_HOME": str(root / "cache"),
        "XDG_CONFIG_HOME": str(root / "config"),
    }
    words = [os.fsencode(word.replace("\0", "\\0")) for word in attack.words]
    return _start(
        [sys.executable, "-m", "jitstudio", *words],
        terminal=attack.terminal,
        cwd=place.folder,
        env=around,
    )


def _start(command: list, *, terminal: bool, **how) -> Ran:
    """Run a command with its output on a pipe or on a terminal of its own."""
    reader, writer = pty.openpty() if terminal else os.pipe()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=writer, stderr=writer, **how
    )
    os.close(writer)
    printed, memory = bytearray(), 0
    limit = time.monotonic() + LIMIT_S
    with os.fdopen(reader, "rb", buffering=0) as stream:
        while time.monotonic() < limit:
            memory = max(memory, _most_memory(process.pid))
            if not select.select([stream], [], [], 0.05)[0]:
                continue
            try:
                piece = stream.read(1 << 16)
            except OSError:
                break  # the other side of a terminal is closed
            if not piece:
                break
            printed += piece
    if time.monotonic() > limit:
        process.kill()
        process.wait()
        pytest.fail(f"{command[3:]} hangs: {printed[-1000:]!r}")
    return Ran(process.wait(), printed.decode("utf-8", "replace"), memory)


def _most_memory(pid: int) -> int:
    """Bytes of memory that a process has taken at most; 0 once it is gone.

    Not by `wait4`, which counts what it was before `exec`: a copy of this process.
    """
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in status.splitlines() if "VmHWM" in line)
