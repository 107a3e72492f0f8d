import os
import sqlite3
import subprocess
import sys
import threading
import weakref
from dataclasses import replace
from pathlib import Path

import pytest

from jitstudio.cache import result_file
from jitstudio.cache import store as stores
from jitstudio.cache.store import LIMIT, Store
from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.events import StageFinished
from jitstudio.core.result import StageResult
from jitstudio.core.tools import Tool
from jitstudio.system.paths import results_folder

STAGE = StageResult(Tool.NVRTC, "13.4", "k.cu", ("-arch=compute_90",), True, 5.0, log="warned")
KEY = b"k" * 32


def made(text=b".version 9.4"):
    return StageFinished(STAGE, (Artifact(CodeKind.PTX, "k.cu", text),))


def key(number):
    return number.to_bytes(32, "big")


@pytest.fixture
def open_store(tmp_path):
    """Opens the store of this test, as each program does for itself."""
    opened = []

    def opens(folder=tmp_path / "cache", **limits):
        opened.append(Store(folder, **limits))
        return opened[-1]

    yield opens
    for store in opened:
        store.close()


def database(tmp_path):
    return tmp_path / "cache" / "results.sqlite"


def test_what_was_put_is_got_by_this_program_and_the_next(open_store):
    first = open_store()
    first.put(KEY, made())
    assert first.get(KEY) == made()
    first.close()
    assert open_store().get(KEY) == made()
    assert open_store().get(key(1)) is None


def test_two_programs_share_it_while_both_run(open_store):
    first, second = open_store(), open_store()
    first.put(key(1), made(b"one"))
    second.put(key(2), made(b"two"))
    assert second.get(key(1)) == made(b"one")
    assert first.get(key(2)) == made(b"two")


_WRITE = """
import sys
from pathlib import Path
from tests.cache.test_store import key, made
from jitstudio.cache.store import Store
stores = [Store(Path(sys.argv[1]))]
for number in range(int(sys.argv[2]), int(sys.argv[2]) + 50):
    stores[-1].put(key(number), made(b"%d" % number + bytes(5000)))
    # As a window has one beside those of its commands.
    stores.append(Store(Path(sys.argv[1])))
    if number % 5:
        stores.pop(0).close()
print(*(store.take_problem() for store in stores), sep="")
"""


@pytest.mark.slow
def test_processes_that_write_at_the_same_time_lose_nothing(open_store, tmp_path, environment):
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITE, str(tmp_path / "cache"), str(first)],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for first in (0, 50, 100)
    ]
    assert [writer.communicate(timeout=60)[0].strip() for writer in writers] == ["", "", ""]
    store = open_store()
    assert all(store.get(key(n)) == made(b"%d" % n + bytes(5000)) for n in range(150))


def test_the_disk_is_bounded_and_the_oldest_go(open_store, tmp_path):
    store = open_store(limit=400_000, memory_limit=0)
    for number in range(100):
        store.put(key(number), made(bytes(20_000)))
        store.get(key(0))  # used all the time
    assert 200_000 < store.size() <= 400_000
    kept = [number for number in range(100) if store.get(key(number))]
    assert kept[0] == 0
    assert kept[1:] == list(range(101 - len(kept), 100))
    store.close()
    assert database(tmp_path).stat().st_size < 2 * 400_000


def test_the_disk_can_be_resized_for_all_programs(open_store):
    store = open_store(memory_limit=0)
    assert store.limit() == LIMIT
    for number in range(20):
        store.put(key(number), made(bytes(20_000)))
    assert store.size() > 400_000
    store.resize(200_000)
    assert 100_000 < store.size() <= 200_000
    assert store.get(key(0)) is None
    assert store.get(key(19)) == made(bytes(20_000))
    other = open_store()
    assert other.limit() == 200_000
    other.put(KEY, made(bytes(60_000)))
    assert store.get(KEY) is None  # more than its share
    store.resize(10 << 20)
    store.clear()
    assert other.limit() == 10 << 20


def test_a_result_that_would_push_out_most_others_stays_in_memory(open_store):
    store = open_store(limit=100_000)
    store.put(KEY, made(bytes(50_000)))
    assert store.get(KEY) == made(bytes(50_000))
    assert store.size() == 0


def test_memory_is_bounded(open_store):
    store = open_store(memory_limit=100_000)
    for number in range(50):
        store.put(key(number), made(bytes(10_000)))
    assert 5 <= len(store._memory._entries) <= 10
    assert store._memory._size <= 100_000
    assert store.get(key(0)) == made(bytes(10_000))  # from disk


def test_the_same_key_counts_once(open_store):
    store = open_store(memory_limit=100_000)
    for _ in range(50):
        store.put(KEY, made(bytes(10_000)))
    assert store.size() < 12_000
    assert store._memory._size < 12_000


def test_cleared_it_is_empty_and_small_and_of_use(open_store, tmp_path):
    store = open_store()
    for number in range(20):
        store.put(key(number), made(bytes(100_000)))
    held = store.size()
    assert store.clear() == held > 2_000_000
    assert (store.size(), store.get(key(1))) == (0, None)
    assert sum(file.stat().st_size for file in (tmp_path / "cache").iterdir()) < 300_000
    store.put(KEY, made())
    assert open_store().get(KEY) == made()


def damage(path, at, data):
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100, b"SQLite format 3\0" * 300])
def test_a_file_that_is_no_database_is_replaced(open_store, tmp_path, content):
    (tmp_path / "cache").mkdir()
    database(tmp_path).write_bytes(content)
    store = open_store()
    assert store.get(KEY) is None
    problem = store.take_problem()
    assert ("has been emptied" in problem) == bool(content)
    assert store.take_problem() == ""
    store.put(KEY, made())
    assert open_store().get(KEY) == made()


def test_a_database_with_damaged_pages_is_replaced(open_store, tmp_path):
    store = open_store()
    for number in range(50):
        store.put(key(number), made(bytes(5_000)))
    store.close()
    damage(database(tmp_path), 100, b"\xff" * (database(tmp_path).stat().st_size - 100))
    store = open_store()
    assert store.get(KEY) is None
    assert "was damaged" in store.take_problem()
    store.put(KEY, made())
    assert store.get(KEY) == made()
    assert store.take_problem() == ""


def test_a_damaged_byte_inside_a_result_is_noticed(open_store, tmp_path):
    store = open_store()
    store.put(KEY, made(b"A" * 50_000))
    store.close()
    place = database(tmp_path).read_bytes().rindex(b"A" * 100)
    damage(database(tmp_path), place, b"B")
    store = open_store()
    assert store.get(KEY) is None
    assert store.size() == 0


def test_a_result_of_another_make_is_forgotten(open_store, tmp_path):
    open_store().put(KEY, made())
    with sqlite3.connect(database(tmp_path)) as other:
        (value,) = other.execute("SELECT value FROM results").fetchone()
        changed = bytes([value[16] ^ 1]) + value[17:]
        changed = result_file._sealed(KEY, changed)
        other.execute("UPDATE results SET value = ?", (changed,))
    other.close()
    store = open_store()
    assert store.get(KEY) is None
    assert (store.size(), store.take_problem()) == (0, "")


def test_a_database_of_another_format_is_emptied_in_silence(open_store, tmp_path):
    store = open_store()
    store.put(KEY, made())
    store.close()
    with sqlite3.connect(database(tmp_path)) as other:
        other.execute("PRAGMA user_version = 99")
    other.close()
    store = open_store()
    assert (store.get(KEY), store.take_problem()) == (None, "")
    store.put(KEY, made())
    assert store.get(KEY) == made()


def test_a_place_where_nothing_can_be_written_costs_one_warning(open_store, tmp_path):
    (tmp_path / "file").write_text("in the way")
    store = open_store(tmp_path / "file" / "cache")
    store.put(KEY, made())
    assert store.get(KEY) == made()  # from memory
    assert "cannot be used" in store.take_problem()
    store.put(key(1), made())
    assert (store.size(), store.clear(), store.take_problem()) == (0, 0, "")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_that_is_read_only_costs_one_warning(open_store, tmp_path):
    (tmp_path / "cache").mkdir(mode=0o500)
    store = open_store()
    store.put(KEY, made())
    assert "cannot be used" in store.take_problem()


def test_a_database_that_is_read_only_can_still_be_read(open_store, tmp_path, monkeypatch):
    open_store().put(KEY, made())
    store = open_store()
    store.get(key(1))
    # As on a file system that is mounted to be read.
    store._database.execute("PRAGMA query_only = ON")
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert store.get(KEY) == made()
    store.put(key(2), made())
    assert "cannot be used" in store.take_problem()
    assert store.get(KEY) == made()


def test_a_lock_that_is_held_for_long_costs_one_warning(open_store, tmp_path, monkeypatch):
    monkeypatch.setattr(result_file, "_PATIENCE", 0.1)
    open_store().put(KEY, made())
    other = sqlite3.connect(database(tmp_path), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = open_store()
    store.put(key(1), made())
    assert "locked" in store.take_problem()
    other.close()


def test_nothing_is_made_before_it_is_needed(open_store, tmp_path):
    open_store()
    assert list(tmp_path.iterdir()) == []


def test_others_may_not_look(open_store, tmp_path):
    open_store().put(KEY, made())
    assert (tmp_path / "cache").stat().st_mode & 0o077 == 0


def test_the_folder_can_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("JITSTUDIO_CACHE_DIR", str(tmp_path / "mine"))
    assert results_folder() == tmp_path / "mine"
    monkeypatch.delenv("JITSTUDIO_CACHE_DIR")
    assert results_folder() == tmp_path / "jitstudio" / "builds"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert results_folder() == Path.home() / ".cache" / "jitstudio" / "builds"


def test_a_stage_may_be_kept_with_all_it_told(open_store):
    event = replace(made(), stage=replace(STAGE, stderr="@E@error : Multiple definition of 'f'"))
    open_store().put(KEY, event)
    assert open_store().get(KEY).stage.stderr == "@E@error : Multiple definition of 'f'"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_no_open_file_crosses_a_fork(open_store):
    """SQLite forbids it: a child that ends would remove what the parent still writes to."""
    store, other = open_store(), open_store()
    store.put(KEY, made())
    assert store._database is not None
    if not (child := os.fork()):
        closed = store._database is None
        found = store.get(KEY) == made() and other.get(KEY) == made()
        store.put(key(1), made())
        store.close()
        os._exit(0 if closed and found else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert store.get(key(1)) == made()
    store.put(key(2), made())
    assert other.get(key(2)) == made()


def test_a_fork_while_a_store_is_made(tmp_path, monkeypatch):
    """A set that grows while it is gone through is an error of Python's, and no file is closed."""

    class Stores(weakref.WeakSet):
        def __iter__(self):
            for known in super().__iter__():
                yield known
                makers.append(threading.Thread(target=lambda: program.append(Store(tmp_path))))
                makers[-1].start()
                makers[-1].join(0.1)

    program = [Store(tmp_path), Store(tmp_path)]
    makers = []
    monkeypatch.setattr(stores, "_stores", Stores(program))
    with stores._forking:
        stores._before_fork()
    for maker in makers:
        maker.join()
    assert len(program) == len(stores._stores) == 4
