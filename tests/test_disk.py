import os
import time

import pytest

from jitstudio.core.disk import Disk, FileContentCache
from jitstudio.core.plan import Search


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "include").mkdir()
    return tmp_path / "include"


def searches(folder, *names):
    return (Search((str(folder),), names),)


def look(*args, disk=None):
    return (disk or Disk()).look(searches(*args))


def test_a_change_is_seen_though_size_and_times_stay(folder):
    disk = Disk()
    header = folder / "a.h"
    seen = set()
    for value in range(10):
        header.write_text(f"int a = {value};")
        os.utime(header, ns=(1, 1))
        seen.add(look(folder, "a.h", disk=disk).contents)
    assert len(seen) == 10


def test_what_comes_and_goes_is_seen(folder):
    before = look(folder, "a.h")
    (folder / "a.h").touch()
    there = look(folder, "a.h")
    assert there.contents != before.contents
    (folder / "a.h").unlink()
    gone = look(folder, "a.h")
    assert gone.contents == before.contents
    assert gone.stamps != before.stamps
    assert gone.newest_ns >= there.newest_ns


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_link_that_leads_elsewhere_and_back_is_seen(folder, what):
    for name, value in (("one", 1), ("two", 2)):
        (folder / name).mkdir()
        (folder / name / "a.h").write_text(f"int a = {value};")
    link = folder / ("a.h" if what == "file" else "sub")
    name = "a.h" if what == "file" else "sub/a.h"
    ends = [folder / to / "a.h" if what == "file" else folder / to for to in ("one", "two")]
    contents = []
    for end in (*ends, ends[0]):
        time.sleep(0.02)
        began = time.time_ns()
        link.unlink(missing_ok=True)
        link.symlink_to(end)
        sight = look(folder, name)
        assert not sight.settled_before(began)
        contents.append(sight.contents)
    assert contents[0] == contents[2] != contents[1]


def test_a_folder_that_was_renamed_and_is_back_is_seen(folder):
    (folder / "a.h").touch()
    time.sleep(0.05)
    began = time.time_ns()
    assert look(folder, "a.h").settled_before(began)
    folder.rename(folder.with_name("away"))
    folder.with_name("away").rename(folder)
    assert not look(folder, "a.h").settled_before(began)


def test_what_is_made_elsewhere_does_not_matter(folder):
    (folder / "a.h").touch()
    time.sleep(0.05)
    began = time.time_ns()
    before = look(folder, "a.h")
    (folder.parent / "other").mkdir()
    assert look(folder, "a.h") == before
    assert before.settled_before(began)


def test_a_way_over_a_link_is_not_cut_short(folder):
    (folder / "real" / "below").mkdir(parents=True)
    (folder / "real" / "a.h").write_text("int real;")
    (folder / "a.h").write_text("int decoy;")
    (folder / "build").symlink_to(folder / "real" / "below")
    before = look(f"{folder}/build/..", "a.h").contents
    (folder / "real" / "a.h").write_text("int changed;")
    assert look(f"{folder}/build/..", "a.h").contents != before


def test_a_pipe_is_not_waited_for(folder):
    os.mkfifo(folder / "a.h")
    assert look(folder, "a.h") is None


def test_a_huge_file_is_not_read(folder):
    with (folder / "a.h").open("wb") as file:
        file.truncate(1 << 40)
    assert look(folder, "a.h") is None


def test_a_file_that_has_settled_is_read_once(folder, monkeypatch):
    read = []
    readings = FileContentCache(lambda content: read.append(content) or len(content))
    header = folder / "a.h"
    header.write_text("one")
    assert [readings.of(str(header), header.stat()) for _ in range(3)] == [3, 3, 3]
    assert len(read) == 3  # written a moment ago
    later = time.time_ns() + 10**10
    monkeypatch.setattr(time, "time_ns", lambda: later)
    assert [readings.of(str(header), header.stat()) for _ in range(3)] == [3, 3, 3]
    assert len(read) == 3
    header.write_text("three")
    assert readings.of(str(header), header.stat()) == 5


def test_more_places_than_anybody_needs_are_not_looked_at(tmp_path):
    names = tuple(f"{number}.h" for number in range(1000))
    folders = tuple(str(tmp_path / str(number)) for number in range(1000))
    assert Disk().look((Search(folders, names),)) is None
