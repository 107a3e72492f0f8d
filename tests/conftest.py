"""For all tests. Nothing here needs Qt: all but tests/gui runs without PySide6 and pytest-qt."""

import compileall
import ctypes
import gc
import io
import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

# Before anything imports Qt.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# As where pip has installed the program: thousands of processes that tests start find it compiled,
# beside the sources, as those that are sealed read no other folder.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    sys.dont_write_bytecode = False

from jitstudio.cli.main import main
from jitstudio.commands import module_request
from jitstudio.core.toolchain_folders import ToolchainFolder, toolchain_in
from jitstudio.worker.builder import Builder
from tests import kept
from tests.marks import Started, add_marks, is_left_out, order, started_by
from tests.support import QUICK_ARCH, ROOT
from tests.tools import Tools
from tests.workers import QuickWorkers

_STARTED = pytest.StashKey[Started]()
_LOCK = pytest.StashKey[int]()
collect_ignore = [] if find_spec("PySide6") and find_spec("pytestqt") else ["gui"]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than cores: most tests wait for tools and windows now and then."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Refuse a path that is not there before any process starts: those say nothing of it.

    And take a folder for temporary files, before pytest does. And compile the package: processes
    that are sealed can write nothing, so what they alone import would be compiled in each of them.
    """
    start = config.invocation_params.dir
    paths = [argument.partition("::")[0] for argument in config.args]
    missing = [path for path in paths if not (start / path).exists()]
    if missing and not config.getoption("pyargs"):
        raise pytest.UsageError(f"file or directory not found: {', '.join(missing)}")
    if not hasattr(config, "workerinput"):
        compileall.compile_dir(ROOT / "jitstudio", quiet=2)
        kept.make_room()
        if not config.option.basetemp:
            folder, config.stash[_LOCK] = kept.take_temporary_folder()
            config.option.basetemp = str(folder)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave the folder to the next run."""
    if _LOCK in config.stash:
        os.close(config.stash[_LOCK])


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Thousands of tests come and stay to the end: no collection of garbage looks through them."""
    gc.disable()
    collected = yield
    gc.freeze()
    # By default Python looks through all that a test holds whenever that grows by a quarter: to
    # parse the package took four times as long.
    gc.set_threshold(50_000, 20, 20)
    gc.enable()
    return collected


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """What runs tools, starts a process or makes a QApplication has the mark that says so."""
    with started_by(item) as item.stash[_STARTED]:
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail what has not."""
    yield
    if missing := item.stash[_STARTED].missing_marks:
        pytest.fail(f"{missing}; see tests/marks.py", pytrace=False)


@dataclass(frozen=True)
class Ran:
    """What became of a command."""

    code: int
    out: str
    err: str
    words: tuple[str, ...] = ()

    @property
    def json(self) -> dict[str, Any]:
        """The object that it printed, which is as its schema says, in keywords and in words."""
        # Few processes need them.
        from tests.answer_claims import broken_claims
        from tests.schemas import schema_of, violations

        answer = json.loads(self.out)
        assert violations(schema_of(self.words), answer) == []
        assert broken_claims(self.words, answer) == []
        return answer


@pytest.fixture(autouse=True)
def cache_folder(tmp_path_factory, monkeypatch) -> Path:
    """Where windows and commands keep results: a folder of the test's own, not there yet."""
    folder = tmp_path_factory.getbasetemp() / f"cache-{uuid4().hex}"
    monkeypatch.setenv("JITSTUDIO_CACHE_DIR", str(folder))
    monkeypatch.setenv("JITSTUDIO_CONFIG_DIR", f"{folder}-settings")
    return folder


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory) -> Path:
    """Where all processes of this run have their temporary files."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def shared_folder(run_folder) -> Path:
    """What is kept for all processes of this run."""
    folder = run_folder / "tools"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def tmp_path(request, run_folder) -> Path:
    """A folder of the test's own, which has the same path in each process and run."""
    return kept.folder_of(run_folder, request.node.nodeid)


@pytest.fixture(scope="session", autouse=True)
def _quick_workers() -> Iterator[QuickWorkers]:
    workers = QuickWorkers(kept.results_folder())
    workers.begin()
    yield workers
    workers.close()


@pytest.fixture(autouse=True)
def _sessions_of_their_own() -> Iterator[None]:
    """Calls of Python find no process of an earlier test, nor what that has patched."""
    yield
    if module := sys.modules.get("jitstudio.commands.sessions"):
        module.end_default_session()


@pytest.fixture(scope="module")
def own_workers(_quick_workers) -> Iterator[None]:
    """Workers start as they do for users, and read what they are asked for."""
    _quick_workers.end()
    yield
    _quick_workers.begin()


@pytest.fixture(scope="session")
def tools() -> Iterator[Tools]:
    """What the tools make of anything, once for all processes and runs of this code."""
    made = Tools(kept.results_folder())
    yield made
    made.close()


@pytest.fixture
def shared_cache(cache_folder, tools, monkeypatch) -> None:
    """Commands find what tests have built before."""
    monkeypatch.setenv("JITSTUDIO_CACHE_DIR", str(tools.folder))


@pytest.fixture(scope="module")
def one_folder(request, run_folder) -> Path:
    """For a module that calls it `tmp_path`: one folder for all of its tests.

    Line tables hold the path of the source: the same text elsewhere is another cubin to read.
    """
    return kept.folder_of(run_folder, request.node.nodeid)


@pytest.fixture(scope="session")
def builder(tools) -> Builder:
    """Workers that all tests of this process share, with the results of all processes and runs."""
    return tools.builder


@pytest.fixture(scope="session")
def twin(tmp_path_factory) -> ToolchainFolder:
    """The compilers of this environment in a folder of packages that has links to them."""
    folder = tmp_path_factory.mktemp("twin")
    for file in toolchain_in(sysconfig.get_path("purelib")).places:
        root = next((at for at in Path(file).parents if at.name.startswith("cu")), None)
        if root is not None and Path(file).is_file():
            link = folder / "nvidia" / Path(file).relative_to(root.parent)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(file)
    return toolchain_in(str(folder))


@pytest.fixture
def host() -> Iterator[Builder]:
    """Workers of the test's own, without a cache."""
    worker = Builder()
    yield worker
    worker.close()


@pytest.fixture
def command() -> Callable[..., list[str]]:
    """The words that start jitstudio as a user does, in a process of its own."""
    return lambda *words: [sys.executable, "-m", "jitstudio", *map(str, words)]


@pytest.fixture
def environment() -> dict[str, str]:
    """Lets a process find a checkout that is not installed."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    return os.environ | {"PYTHONPATH": path}


@pytest.fixture
def run(monkeypatch, tmp_path) -> Callable[..., Ran]:
    """Run a command in an empty folder, in this process: a start of Python takes its time.

    Without --arch it builds for a target that nvdisasm starts quickly for.
    """

    def runs(*words: object) -> Ran:
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
        with monkeypatch.context() as during:
            during.chdir(tmp_path)
            during.setattr(module_request, "DEFAULT_ARCH", QUICK_ARCH)
            during.setattr(sys, "stdout", out)
            during.setattr(sys, "stderr", err)
            try:
                code = main([str(word) for word in words])
            except SystemExit as left:
                code = left.code
        texts = (stream.detach().getvalue().decode() for stream in (out, err))
        return Ran(code, *texts, tuple(map(str, words)))

    return runs


@pytest.fixture
def run_apart(command, environment, tmp_path) -> Callable[..., Ran]:
    """The same in a process of its own, with other environment variables if wanted.

    It may never end in a traceback.
    """

    def runs(*words: object, **more: str) -> Ran:
        done = subprocess.run(
            command(*words),
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment | more,
            timeout=90,
        )
        assert "Traceback" not in done.stderr
        return Ran(done.returncode, done.stdout, done.stderr, tuple(map(str, words)))

    return runs


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import nothing of a folder that the marks asked for leave out as a whole."""
    return is_left_out(collection_path, config.getoption("markexpr")) or None


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Mark what needs tools or a window, and skip what needs a GPU where there is none."""
    for item in items:
        add_marks(item, is_retried=config.getoption("reruns", None) is None)
        if item.get_closest_marker("gpu") and (reason := _no_gpu()):
            item.add_marker(pytest.mark.skip(reason=reason))
    items.sort(key=order(items))


@cache
def _no_gpu() -> str:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "no NVIDIA driver is installed"
    count = ctypes.c_int()
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
        return "the NVIDIA driver shows no GPU"
    return ""
