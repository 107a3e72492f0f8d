"""Where things are kept, for users without a home and beside users who prepare traps."""

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache, partial
from pathlib import Path

import pytest

from jitstudio.system import paths
from jitstudio.system.private import NotPrivate, make_private
from tests.support import ROOT, SAMPLES

UNKNOWN = 41_234
OTHER = 41_235
as_root = pytest.mark.skipif(
    os.name != "posix" or os.getuid() != 0, reason="only root can be another user"
)

FP16 = '#include <cuda_fp16.h>\nextern "C" __global__ void k(__half* p) { *p = __half(2.0f); }\n'


def mode(path):
    return path.stat().st_mode & 0o7777


@pytest.fixture
def shared():
    """A folder for temporary files, as all users share one."""
    folder = Path(tempfile.mkdtemp(prefix="jitstudio-test-"))
    folder.chmod(0o1777)
    yield folder
    shutil.rmtree(folder)


def test_what_is_missing_is_made_for_this_user_alone(tmp_path):
    make_private(tmp_path / "one" / "two")
    assert mode(tmp_path / "one") == mode(tmp_path / "one" / "two") == 0o700
    make_private(tmp_path / "one" / "two")


def test_others_lose_the_permission_to_write(tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o775)
    make_private(tmp_path / "open")
    assert mode(tmp_path / "open") == 0o755


def test_links_of_the_user_s_own_are_followed(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "relative").symlink_to("disk")
    (tmp_path / "absolute").symlink_to(tmp_path / "relative" / ".." / "disk")
    make_private(tmp_path / "absolute" / "made")
    assert (tmp_path / "disk" / "made").is_dir()


def test_a_loop_of_links_and_a_file_are_errors_in_words(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="symbolic links"):
        make_private(tmp_path / "loop" / "made")
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "made"):
        with pytest.raises(OSError, match="Not a directory"):
            make_private(path)


def test_a_folder_of_all_users_is_not_taken_for_one_s_own(shared):
    with pytest.raises(NotPrivate, match="other users may write to it"):
        make_private(shared)
    make_private(shared / "mine")
    assert mode(shared) == 0o1777


@as_root
@pytest.mark.parametrize("below", ["", "deeper", "deeper/still"])
def test_what_another_user_has_prepared_is_refused(shared, below):
    trap = shared / "jitstudio-0"
    trap.mkdir(mode=0o777)
    os.chown(trap, OTHER, OTHER)
    with pytest.raises(NotPrivate, match=f"belongs to another user .number {OTHER}."):
        make_private(trap / below)
    assert list(trap.iterdir()) == []


@as_root
def test_a_link_that_another_user_has_prepared_is_not_followed(shared, tmp_path):
    (tmp_path / "private").mkdir(mode=0o700)
    trap = shared / "jitstudio-0"
    trap.symlink_to(tmp_path / "private")
    os.chown(trap, OTHER, OTHER, follow_symlinks=False)
    for path in (trap, trap / "builds"):
        with pytest.raises(NotPrivate, match=rf"another user \(number {OTHER}\)"):
            make_private(path)
    assert list((tmp_path / "private").iterdir()) == []


@pytest.mark.parametrize("named", ["", "relative/folder", "~/folder", "."])
def test_a_variable_that_holds_no_absolute_path_is_ignored(monkeypatch, tmp_path, named):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("JITSTUDIO_CONFIG_DIR", raising=False)
    monkeypatch.delenv("JITSTUDIO_CACHE_DIR", raising=False)
    for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(variable, named)
    assert paths.cache_folder() == tmp_path / ".cache" / "jitstudio"
    assert paths.settings_folder() == tmp_path / ".config" / "jitstudio"
    assert paths.data_folder() == tmp_path / ".local" / "share" / "jitstudio"


def test_all_that_can_be_made_again_is_in_the_folder_that_was_named(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "usual"))
    monkeypatch.setenv("JITSTUDIO_CACHE_DIR", str(tmp_path / "own"))
    assert {paths.cache_folder(), paths.results_folder()} == {tmp_path / "own"}
    assert paths.header_places()[:2] == (tmp_path / "own", tmp_path / "usual" / "jitstudio")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JITSTUDIO_CACHE_DIR", "own")
    assert paths.cache_folder() == tmp_path / "own"


def test_a_home_that_is_not_there_is_not_made(monkeypatch, tmp_path, shared):
    monkeypatch.setenv("TMPDIR", str(shared))
    monkeypatch.setenv("HOME", str(tmp_path / "none"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("JITSTUDIO_CACHE_DIR", raising=False)
    assert paths.home_folder() == shared / f"jitstudio-{os.getuid()}"
    assert paths.cache_folder() == paths.home_folder() / ".cache" / "jitstudio"


@pytest.mark.parametrize("named", ["", ".", "/nonexistent"])
def test_a_working_directory_is_no_place_for_temporary_files(monkeypatch, tmp_path, named):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", named)
    monkeypatch.delenv("TEMP", raising=False)
    assert paths.fallback_folder() == Path("/tmp") / f"jitstudio-{os.getuid()}"


# An installation below root's home is to be read all the same.
READS_ALL = ("--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search")


def _as_unknown(*words, temporary="/tmp", home="/", program=("-m", "jitstudio")):
    """Start jitstudio as a user whom no list knows, as containers do."""
    user = ["setpriv", "--reuid", str(UNKNOWN), "--regid", str(UNKNOWN), "--clear-groups"]
    environment = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    environment |= {"TMPDIR": str(temporary), "PYTHONPATH": str(ROOT)}
    environment |= {"QT_QPA_PLATFORM": "offscreen"} | ({} if home is None else {"HOME": home})
    return subprocess.run(
        [*user, *READS_ALL, sys.executable, *program, *map(str, words)],
        env=environment,
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
    )


@cache
def _can(code):
    """Whether this code ends well when that user runs it."""
    return _as_unknown(program=("-c", code)).returncode == 0


@pytest.fixture
def unknown(shared):
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv (util-linux) is not installed")
    if not _can("import jitstudio"):
        pytest.skip("other users cannot read this installation")
    return partial(_as_unknown, temporary=shared)


@pytest.mark.tools
@as_root
def test_a_user_whom_nobody_knows_builds(unknown, shared):
    source = shared / "half.cu"
    source.write_text(FP16)
    for file in (source, SAMPLES / "vector_add.cu", SAMPLES / "vector_add.cu"):
        done = unknown("build", file, home="/nonexistent")
        assert (done.returncode, "warning" in done.stderr) == (0, False), done.stderr
    assert "from cache" in done.stderr
    done = unknown("cache", home="/nonexistent")
    assert f"in {shared}/jitstudio-{UNKNOWN}/.cache/jitstudio/builds" in done.stdout
    assert {path.name for path in shared.iterdir()} == {f"jitstudio-{UNKNOWN}", source.name}


@pytest.mark.tools
@as_root
def test_a_trap_in_the_folder_of_all_users_is_told_and_plain_code_is_built(unknown, shared):
    trap = shared / f"jitstudio-{UNKNOWN}"
    trap.mkdir(mode=0o777)
    os.chown(trap, OTHER, OTHER)
    done = unknown("build", SAMPLES / "vector_add.cu")
    assert done.returncode == 0
    assert "warning: The cache in" in done.stderr
    assert f"another user (number {OTHER})" in done.stderr
    source = shared / "half.cu"
    source.write_text(FP16)
    done = unknown("build", source)
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert "NVRTC's own headers" in done.stderr
    assert list(trap.iterdir()) == []


_FINDS_PLUGINS = """
import sys
from PySide6.QtCore import QFileInfo, QLibraryInfo
sys.exit(not QFileInfo.exists(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)))
"""
_WINDOW = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from jitstudio.gui.window import application as app
made = app.make_window
def make(*args):
    window = made(*args)
    def leave():
        print(window.frame.notices.text if window.frame.notices.isVisible() else "")
        window.close()
        QApplication.quit()
    window.completed.connect(lambda: QTimer.singleShot(1500, leave))
    return window
app.make_window = make
sys.exit(app.run([]))
"""


@pytest.fixture
def window(unknown):
    """Starts the window as a user whom no list knows; prints its notice."""
    pytest.importorskip("PySide6")
    if not _can(_FINDS_PLUGINS):
        pytest.skip("Qt asks access(2), by which other users cannot read this installation")
    return partial(unknown, program=("-c", _WINDOW))


@pytest.mark.tools
@as_root
@pytest.mark.bench
def test_the_window_says_where_it_keeps_things(window, shared):
    done = window(home=None)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert f"kept in '{shared}/jitstudio-{UNKNOWN}'" in done.stdout
    kept = {str(path.relative_to(shared)) for path in shared.rglob("session-1.json")}
    assert kept == {f"jitstudio-{UNKNOWN}/.local/share/jitstudio/sessions/session-1.json"}


@pytest.mark.tools
@as_root
def test_the_window_says_that_it_cannot_keep_things(window, shared):
    trap = shared / f"jitstudio-{UNKNOWN}"
    (trap / ".config" / "jitstudio").mkdir(parents=True)
    for folder in (trap, trap / ".config", trap / ".config" / "jitstudio"):
        os.chown(folder, OTHER, OTHER)
        folder.chmod(0o777)
    done = window()
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert f"another user (number {OTHER})" in done.stdout
    assert [path for path in trap.rglob("*") if path.is_file()] == []
