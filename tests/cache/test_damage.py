"""Cache files that somebody or something has damaged: never an exception, never a wrong result."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from jitstudio.cache import result_file
from jitstudio.cache.store import Store
from tests.cache.test_store import KEY, key, made
from tests.support import SAMPLES, one_in

SEED = 12
COUNT = 60
SAMPLE = SAMPLES / "vector_add.cu"


def content(number):
    """Of some length: short ones share a page, long ones have pages of their own."""
    return random.Random(number).randbytes((number % 7) ** 5 + 20)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A file as a program leaves it, with its log where the program was killed."""
    folder = tmp_path_factory.mktemp("whole")
    with_log = folder / "killed"
    store = Store(folder)
    for number in range(COUNT):
        store.put(key(number), made(content(number)))
        if number == COUNT - 5:
            shutil.copytree(folder, with_log)
    store.close()
    return folder / result_file.FILE, with_log / f"{result_file.FILE}-wal"


def flipped(data, chance):
    for _ in range(chance.choice((1, 10, 1000))):
        data[chance.randrange(len(data))] = chance.randrange(256)


def truncated(data, chance):
    del data[chance.randrange(len(data)) :]


def pages_swapped(data, chance):
    for _ in range(chance.choice((1, 10))):
        one, other = (chance.randrange(len(data) // 4096) * 4096 for _ in range(2))
        page = data[one : one + 4096]
        data[one : one + 4096] = data[other : other + 4096]
        data[other : other + 4096] = page


def page_random(data, chance):
    page = chance.randrange(len(data) // 4096) * 4096
    data[page : page + 4096] = chance.randbytes(4096)


def header_random(data, chance):
    for _ in range(5):
        data[chance.randrange(16, 100)] = chance.randrange(256)


def names_changed(data, chance):
    """What SQLite quotes in its complaints is no UTF-8."""
    for _ in range(3):
        data[chance.randrange(3300, 4096)] = chance.choice((0x80, 0xFF, 0x1B, 0))


def types_changed(data, chance):
    """The headers of records: a TEXT where a BLOB was, a NULL, other lengths."""
    places = [at for at in range(4096, len(data) - 40) if data[at : at + 3] == b"\x06\x4c\x82"]
    for _ in range(10):
        at = chance.choice(places) if places else chance.randrange(len(data) - 4)
        data[at + chance.randrange(4)] = chance.randrange(256)


DAMAGES = (
    flipped,
    truncated,
    pages_swapped,
    page_random,
    header_random,
    names_changed,
    types_changed,
)


def check(folder):
    """Use the store as builds do; what it said."""
    store = Store(folder, memory_limit=0)
    said = []
    for number in range(0, COUNT, 3):
        found = store.get(key(number))
        assert found in (None, made(content(number)))
        store.recall(key(number))
        said.append(store.take_problem())
    store.put(KEY, made())
    store.limit()
    store.size()
    said.append(store.take_problem())
    store.close()
    return [problem for problem in said if problem]


@pytest.mark.tools
@pytest.mark.parametrize("damage", one_in(2, DAMAGES))
def test_no_damage_gives_an_exception_or_a_wrong_result(tmp_path, whole, damage):
    file, log = whole
    emptied = 0
    for number in range(50):
        chance = random.Random(f"{SEED} {damage.__name__} {number}")
        folder = tmp_path / str(number)
        folder.mkdir(mode=0o700)
        data = bytearray(file.read_bytes())
        damage(data, chance)
        (folder / result_file.FILE).write_bytes(data)
        if number % 5 == 0:
            (folder / log.name).write_bytes(log.read_bytes())
        said = check(folder)
        assert len(said) <= 1, (number, said)
        assert all("was damaged" in one and one.isprintable() for one in said), (number, said)
        emptied += bool(said)
        # Whatever it was, the next program has a file of use, or repairs it.
        assert len(check(folder)) <= 1
        store = Store(folder)
        store.put(KEY, made(b"new"))
        store.close()
        again = Store(folder)
        assert again.get(KEY) == made(b"new"), number
        again.close()
        shutil.rmtree(folder)
    assert emptied or damage in (flipped, types_changed, pages_swapped)


def test_a_value_in_the_place_of_another_is_no_result(tmp_path):
    store = Store(tmp_path)
    for number in range(2):
        store.put(key(number), made(b"%d" % number))
    store.close()
    with sqlite3.connect(tmp_path / result_file.FILE) as other:
        (value,) = other.execute("SELECT value FROM results WHERE key = ?", (key(0),)).fetchone()
        other.execute("UPDATE results SET value = ? WHERE key = ?", (value, key(1)))
    other.close()
    store = Store(tmp_path)
    assert (store.get(key(1)), store.get(key(0))) == (None, made(b"0"))
    store.close()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE results SET value = CAST(value AS TEXT)",
        "UPDATE results SET value = 'text'",
        "UPDATE results SET value = 9223372036854775807",
        "UPDATE results SET value = zeroblob(30000000)",
        "UPDATE results SET size = 9223372036854775807",
        "UPDATE results SET size = 'many', used = x'ff'",
        "UPDATE limits SET bytes = x'ff'",
        "INSERT OR REPLACE INTO limits VALUES ('results', 'many')",
        "INSERT OR REPLACE INTO limits VALUES ('results', -1)",
        "ALTER TABLE results RENAME COLUMN value TO worth",
        "DROP TABLE tools",
        "DROP TABLE results; CREATE VIEW results AS SELECT * FROM tools",
        "CREATE TRIGGER more AFTER INSERT ON results BEGIN DELETE FROM results; END",
        "PRAGMA user_version = 77; CREATE TABLE mine (one)",
        "PRAGMA user_version = 1; DROP TABLE limits; CREATE TABLE limits (one)",
    ],
)
def test_another_content_than_a_store_s_stops_nothing(tmp_path, change):
    store = Store(tmp_path)
    for number in range(3):
        store.put(key(number), made(b"%d" % number))
    store.close()
    other = sqlite3.connect(tmp_path / result_file.FILE, isolation_level=None)
    other.executescript(change)
    other.close()
    store = Store(tmp_path)
    found = [store.get(key(number)) for number in range(3)]
    assert all(one in (None, made(b"%d" % number)) for number, one in enumerate(found))
    store.put(key(8), made(b"8"))
    assert "cannot be used" not in store.take_problem()
    store.close()
    with Opened(tmp_path) as store:
        store.put(key(9), made(b"9"))
        assert store.clear() >= 0
        store.put(key(9), made(b"9"))
        assert store.take_problem() == ""


class Opened:
    """A store for a block."""

    def __init__(self, folder, **limits):
        self.store = Store(folder, **limits)

    def __enter__(self):
        return self.store

    def __exit__(self, *_):
        self.store.close()


def test_a_complaint_of_sqlite_that_is_no_utf_8_is_no_obstacle(tmp_path):
    with Opened(tmp_path) as store:
        store.put(KEY, made())
    file = tmp_path / result_file.FILE
    data = file.read_bytes()
    assert data.count(b"CREATE INDEX") == 1
    file.write_bytes(data.replace(b"CREATE INDEX", b"CREATE \xff\xfe\x1b]2"))
    with pytest.raises(UnicodeDecodeError), sqlite3.connect(file) as raw:
        raw.execute("SELECT * FROM results")
    with Opened(tmp_path) as store:
        assert store.get(KEY) is None
        assert "was damaged" in (said := store.take_problem())
        assert said.isprintable()
        store.put(KEY, made())
    with Opened(tmp_path) as store:
        assert store.get(KEY) == made()
        assert store.take_problem() == ""


def test_a_head_by_which_sqlite_only_reads_is_damaged(tmp_path):
    """See https://www.sqlite.org/fileformat.html#file_format_version_numbers."""
    with Opened(tmp_path) as store:
        store.put(KEY, made())
    file = tmp_path / result_file.FILE
    data = bytearray(file.read_bytes())
    data[18] = 9
    file.write_bytes(data)
    with Opened(tmp_path) as store:
        store.put(key(1), made())
        assert "was damaged" in store.take_problem()
        store.put(key(1), made())
    with Opened(tmp_path) as store:
        assert store.get(key(1)) == made()


def as_folder(path):
    path.mkdir()
    (path / "inside").write_text("something")


def as_link(path):
    path.parent.with_name("elsewhere").write_text("not ours")
    path.symlink_to(path.parent.with_name("elsewhere"))


def as_hard_link(path):
    path.parent.with_name("elsewhere").write_text("not ours")
    path.hardlink_to(path.parent.with_name("elsewhere"))


def as_sparse(path):
    path.touch()
    os.truncate(path, 10 << 30)


def as_read_only(path):
    path.touch(mode=0o400)


def as_nothing(path):
    path.touch()


WAYS = (os.mkfifo, as_folder, as_link, as_hard_link, as_sparse, as_read_only, as_nothing)


@pytest.mark.parametrize("ending", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("way", WAYS)
def test_whatever_is_in_the_place_of_a_file_is_set_aside(tmp_path, way, ending):
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    way(folder / f"{result_file.FILE}{ending}")
    with Opened(folder) as store:
        assert store.get(KEY) is None
        said = store.take_problem()
        assert said == "" or "was damaged" in said
        store.put(KEY, made())
        assert store.take_problem() == ""
    with Opened(folder) as store:
        assert store.get(KEY) == made()
        assert store.take_problem() == ""
        store.clear()
    if (elsewhere := tmp_path / "elsewhere").exists():
        assert elsewhere.read_text() == "not ours"
    assert sum(path.stat().st_blocks * 512 for path in folder.iterdir()) < 300_000


@pytest.mark.parametrize(("module", "name"), [(os.path, "lexists"), (os, "access")])
def test_a_file_that_the_last_other_program_removes_is_no_damage(
    tmp_path, monkeypatch, module, name
):
    with Opened(tmp_path) as other, Opened(tmp_path) as store:
        other.put(KEY, made())
        real = getattr(module, name)

        def asked(path, *more):
            is_there = os.path.exists(path)
            if str(path).endswith("-wal"):
                # SQLite removes it, as no other program has the file open.
                other.close()
            return is_there if name == "lexists" else real(path, *more)

        monkeypatch.setattr(module, name, asked)
        assert store.get(KEY) == made()
        assert store.take_problem() == ""


def test_what_is_set_aside_is_kept_once(tmp_path):
    for number in range(3):
        (tmp_path / result_file.FILE).write_bytes(b"%d" % number * 5000)
        with Opened(tmp_path) as store:
            store.get(KEY)
            assert "kept as 'results.sqlite.damaged'" in store.take_problem()
    assert (tmp_path / "results.sqlite.damaged").read_bytes() == b"2" * 5000
    assert len(list(tmp_path.iterdir())) == 1


def test_a_file_of_another_user_is_not_believed(tmp_path):
    if os.getuid():
        pytest.skip("only root can give files away")
    with Opened(tmp_path) as store:
        store.put(KEY, made())
    os.chown(tmp_path / result_file.FILE, 4711, 4711)
    with Opened(tmp_path) as store:
        assert store.get(KEY) is None
        assert "belongs to another user" in store.take_problem()


@pytest.mark.tools
def test_a_full_disk_costs_one_notice(tmp_path):
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from jitstudio.cache.store import Store; from tests.cache.test_store import key, made\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "store = Store(Path(sys.argv[1])); said = []\n"
        "for n in range(20):\n"
        "    store.put(key(n), made(bytes(50_000)))\n"
        "    said.append(store.take_problem())\n"
        "assert store.get(key(3)) == made(bytes(50_000))\n"
        "print(*filter(None, said), sep='\\n')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1
    assert "cannot be used" in done.stdout
    with Opened(tmp_path) as store:
        assert store.get(key(0)) in (None, made(bytes(50_000)))
        assert store.take_problem() == ""


def test_a_store_that_could_not_be_used_is_tried_again_later(tmp_path, monkeypatch):
    monkeypatch.setattr(result_file, "_PATIENCE", 0.05)
    with Opened(tmp_path, memory_limit=0) as store:
        store.put(KEY, made())
        other = sqlite3.connect(tmp_path / result_file.FILE, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        store.put(key(1), made())
        assert "locked" in store.take_problem()
        other.close()
        monkeypatch.setattr("jitstudio.cache.store.time.monotonic", lambda: 1e12)
        assert store.get(KEY) == made()
        assert store.take_problem() == ""


@pytest.mark.parametrize("way", [os.mkfifo, as_folder, lambda path: path.write_bytes(b"x" * 9000)])
def test_the_command_clears_what_cannot_be_opened(run, cache_folder, way):
    cache_folder.mkdir(mode=0o700)
    way(cache_folder / result_file.FILE)
    ran = run("cache", "--clear")
    assert (ran.code, ran.err) == (0, "")
    assert list(cache_folder.glob("*damaged")) == []


def test_a_build_says_once_that_its_cache_was_damaged(run, cache_folder):
    fresh = run("build", SAMPLE, "--json").json
    file = cache_folder / result_file.FILE
    file.write_bytes(file.read_bytes()[:4000] + b"\xff" * 3000)
    ran = run("build", SAMPLE, "--json")
    assert ran.code == 0
    assert ran.json["artifacts"] == fresh["artifacts"]
    notices = [one for one in ran.json["diagnostics"] if "was damaged" in one["message"]]
    assert len(notices) == 1
    assert "was damaged" not in run("build", SAMPLE).err
