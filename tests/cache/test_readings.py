"""Readings of machine code that are found in the store, made by the real nvdisasm."""

import ast
import sqlite3
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import jitstudio
from jitstudio.analysis.reading_request import AnalysisRequest, ReadingFailure
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.cache import readings, result_file
from jitstudio.cache.readings import READERS, ReadingCache
from jitstudio.cache.store import Store
from jitstudio.core.codec import Codec
from jitstudio.core.tools import FileStamp, ToolFile
from jitstudio.worker import process
from jitstudio.worker.code_readers import DisassemblyReader
from tests.support import KERNEL, QUICK_ARCH, cuda, request

pytestmark = [pytest.mark.tools, pytest.mark.usefixtures("own_workers")]

PACKAGE = Path(jitstudio.__file__).parent


@pytest.fixture(scope="module")
def cubin(tools):
    wanted = request(cuda(KERNEL), emit="cubin", arch=str(QUICK_ARCH), options=("-lineinfo",))
    return tools.cubin(wanted).content


@pytest.fixture
def reader(tmp_path):
    """Makes readers, each as in a program of its own, that share a store."""
    readers = []

    def start(folder=tmp_path / "cache"):
        readers.append(DisassemblyReader(store=Store(folder)))
        return readers[-1]

    yield start
    for one in readers:
        one.close()


def bare(code):
    """All that a reading says; two of the same content are not equal."""
    return None if code is None else Codec(Disassembly).pack(code)


@pytest.fixture
def workers(monkeypatch):
    """The words of each worker process that is started."""
    popen, started = process.subprocess.Popen, []

    def start(words, **how):
        started.append(words)
        return popen(words, **how)

    monkeypatch.setattr(process.subprocess, "Popen", start)
    return started


def test_a_program_finds_what_another_has_read_and_starts_no_process(reader, cubin):
    first, second = reader(), reader()
    code = first.analyse(AnalysisRequest(cubin, "one.cubin"))
    again = second.analyse(AnalysisRequest(cubin, "other.cubin"))
    assert bare(code) == bare(again)
    assert code.functions[0].live
    assert first.pid is not None
    assert second.pid is None


def test_without_the_cache_and_after_its_end_all_is_read_anew(reader, cubin, tmp_path):
    wanted = AnalysisRequest(cubin, "k.cubin")
    reader().analyse(wanted)
    anew = reader()
    anew.analyse(replace(wanted, use_cache=False))
    assert anew.pid is not None
    assert Store(tmp_path / "cache").clear() > 0
    cleared = reader()
    cleared.analyse(wanted)
    assert cleared.pid is not None


@pytest.mark.parametrize(
    "damage", ["substr(value, 1, 100)", "CAST(substr(value, 2) || x'00' AS BLOB)", "x''"]
)
def test_a_damaged_reading_is_made_anew_and_nothing_said(reader, cubin, tmp_path, damage):
    wanted = AnalysisRequest(cubin, "k.cubin")
    code = reader().analyse(wanted)
    with sqlite3.connect(tmp_path / "cache" / result_file.FILE) as database:
        assert database.execute(f"UPDATE results SET value = {damage}").rowcount == 1
    database.close()
    anew, after = reader(), reader()
    assert bare(anew.analyse(wanted)) == bare(code)
    assert anew.pid is not None
    assert bare(after.analyse(wanted)) == bare(code)
    assert after.pid is None


def test_a_failure_is_not_stored(reader, tmp_path):
    broken = AnalysisRequest(b"\x7fELF" + bytes(300), "k.cubin")
    assert isinstance(reader().analyse(broken), ReadingFailure)
    assert Store(tmp_path / "cache").size() == 0


@pytest.mark.parametrize("other_file", [False, True])
@pytest.mark.parametrize(
    "change",
    [
        {"cubin": b"other"},
        {"ptx": {"k.cu": "// other"}},
        {"ptx": {"k.cu": "// text", "l.cu": ""}},
        {"confined_to": ("/theirs",)},
        {"function": "k"},
        {"toolchain": "/other"},
        {"counts_live": False},
        {"name": "other"},
    ],
    ids=repr,
)
def test_a_reading_is_found_by_all_that_it_follows_from(tmp_path, change, other_file):
    program = tmp_path / "nvdisasm"
    program.touch()
    file = ToolFile(str(program), (FileStamp.of(str(program)),))
    stored = ReadingCache(Store(tmp_path / "cache"))
    wanted, code = AnalysisRequest(b"cubin", "k", {"k.cu": "// text"}), Disassembly("sm_90", ())
    stored.keep(wanted, file, code)
    if other_file:
        program.write_text("another version")
    other = ReadingCache(Store(tmp_path / "cache"))
    assert bare(other.find(wanted)) == (None if other_file else bare(code))
    same = "name" in change and not other_file
    assert bare(other.find(replace(wanted, **change))) == (bare(code) if same else None)


def test_a_reading_of_other_code_is_not_found(tmp_path, monkeypatch):
    file = ToolFile(__file__, (FileStamp.of(__file__),))
    store = Store(tmp_path)
    wanted = AnalysisRequest(b"cubin", "k")
    ReadingCache(store).keep(wanted, file, Disassembly("sm_90", ()))
    assert ReadingCache(store).find(wanted) is not None
    changed = cache(readings._code.__wrapped__)
    monkeypatch.setattr(readings, "READERS", READERS[1:])
    monkeypatch.setattr(readings, "_code", changed)
    assert ReadingCache(store).find(wanted) is None


def test_all_code_that_a_reading_follows_from_is_known():
    """But for the values that requests consist of, and what starts nvdisasm."""
    others = {"analysis/reading_request.py", "toolchain/locate.py", "toolchain/tool_output.py"}
    waiting, modules = ["toolchain/cubin_reading.py"], set()
    while waiting:
        if (name := waiting.pop()) in modules:
            continue
        modules.add(name)
        for node in ast.walk(ast.parse((PACKAGE / name).read_text())):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("jitstudio."):
                places = [node.module, *(f"{node.module}.{part.name}" for part in node.names)]
                files = [f"{place.replace('.', '/')}.py".partition("/")[2] for place in places]
                waiting += [file for file in files if (PACKAGE / file).is_file()]
    above = {name for name in modules if not name.startswith(("core/", "system/"))}
    of_core = {f"core/{n}.py" for n in ("constant_banks", "cubin", "kernel_resources")}
    of_core.add("core/line_table_paths.py")
    assert of_core <= modules
    assert set(READERS) == (above | of_core) - others


@pytest.mark.parametrize(
    "words",
    [
        ("inspect", "k.cu"),
        ("inspect", "k.cubin", "--json"),
        ("diff", "k.cubin", "other.cubin"),
        ("check", "k.toml"),
    ],
    ids=" ".join,
)
def test_a_command_that_was_run_before_starts_no_process(
    run, tools, cubin, tmp_path, workers, words
):
    (tmp_path / "k.cu").write_text(KERNEL)
    (tmp_path / "k.cubin").write_bytes(cubin)
    (tmp_path / "other.cubin").write_bytes(
        tools.cubin(request(cuda(KERNEL), emit="cubin", arch=str(QUICK_ARCH))).content
    )
    (tmp_path / "k.toml").write_text(
        f'[[budget]]\nsources = ["k.cu"]\ntarget = "{QUICK_ARCH}"\nrequire = ["registers <= 255"]\n'
    )
    first = run(*words)
    assert "error" not in first.err
    assert workers
    workers.clear()
    again = run(*words)
    assert (again.code, again.out) == (first.code, first.out)
    assert not workers
    if words[0] != "check":
        run(*words, "--no-cache")
        assert workers
