"""Records what the program does, so that `diff -r` of two folders shows any change of behaviour.

    python3 tests/nets.py /tmp/before          # on the commit before
    python3 tests/nets.py /tmp/after           # on the one after
    diff -r /tmp/before /tmp/after

`cli` holds the help, the exit status, the text and the JSON of every command, over the samples and
the kernels of the tests. `window` holds the object names with the kind of widget, the commands with
their keys, the menus, the settings, the texts of all named widgets, and what each sample shows in
listings and tables. Times, process numbers and folders are replaced by `#`, `$ROOT` and `$TMP`.
`closing` holds what Python or Qt complained of where windows were closed in the midst of something:
no file at all. `visits` holds what panes show in another way than at first: nothing.
`python3 tests/nets.py FOLDER cli` records one of the four only, `cli/inspect` what begins so.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

SAMPLES = ROOT / "resources" / "samples"
KERNELS = ROOT / "tests"
_COMMANDS = ("build", "inspect", "diff", "run", "sweep", "devices", "cache", "doctor", "options")
_TARGETS = ("sm_75", "sm_90", "sm_120")
_TENSOR = "tensor.cu"
# What the first file of kernels defines for all of them.
_LOOSE = ("--option=-DPLACE=(blockIdx.x * blockDim.x + threadIdx.x)",)
_TIMEOUT = 300

# -- What differs from run to run ----------------------------------------------------------------

_TIMES = re.compile(r" *\b\d+(?:[.,]\d+)* ?(?:ms|s|µs|ns)\b")
# How long each phase took, behind the time of the tool: "(CUDA C++ Frontend 281, ptxas 57)".
_PHASES = re.compile(r"(?<= # s )\([^()]*\)")
_CLOCK = re.compile(r"\b\d\d:\d\d:\d\d\b")
# In tables no cell has its unit: the one decimal of a time, and the last column of a sweep.
_TABLES = ("links", "variants", "variants-of-a-link", "sweep")
_CELLS = re.compile(r"\b\d[\d,]*\.\d\b|(?<=-  )\d+$", re.MULTILINE)
_VOLATILE_KEY = re.compile(r"(^|_)(ms|seconds|pid)$|^(free|used|available|speed)(_|$)")


def _plain(text: str, temporary: str) -> str:
    # Commands run in the temporary folder, and name a file from there where that is shorter.
    from_there = os.path.relpath(ROOT, temporary)
    text = text.replace(temporary, "$TMP").replace(str(ROOT), "$ROOT").replace(from_there, "$ROOT")
    text = text.replace(sys.prefix, "$PREFIX").replace(str(Path.home()), "$HOME")
    return _CLOCK.sub("#", _PHASES.sub("(#)", _TIMES.sub(" # s", text)))


def _steady(value: object) -> object:
    """A value from JSON without what differs from run to run."""
    if isinstance(value, dict):
        is_time = str(value.get("name")).endswith(", ms")
        volatile = [
            key
            for key, item in value.items()
            if (_VOLATILE_KEY.search(key) and item is not None)
            or (is_time and isinstance(item, float))
        ]
        return {key: _steady(item) for key, item in value.items()} | dict.fromkeys(volatile, "#")
    return [_steady(item) for item in value] if isinstance(value, list) else value


# -- The command line -----------------------------------------------------------------------------


def _sample_words() -> Iterator[tuple[str, list[str]]]:
    """A name and the words of the command line of each sample."""
    table = tomllib.loads((SAMPLES / "samples.toml").read_text("utf-8"))
    for row in table["sample"]:
        files = [SAMPLES / name for name in row["files"]]
        words = [str(path) for path in files if path.suffix != ".cuh"]
        words += [f"--header={path.name}={path}" for path in files if path.suffix == ".cuh"]
        for expressions in row.get("name_expressions", {}).values():
            words += [f"--name-expression={expression}" for expression in expressions]
        words += {"ptx": ["--link"], "lto": ["--lto"]}.get(row.get("link", "none"), [])
        words += [f"--arch={row['arch']}"] if "arch" in row else []
        yield files[0].stem, words


def _commands(temporary: Path) -> Iterator[tuple[str, list[str]]]:
    """The name and the words of each command that is recorded."""
    yield "help", ["--help"]
    for command in _COMMANDS:
        yield f"help-{command}", [command, "--help"]
    for name, words in _sample_words():
        words = [*words, "--no-cache"]
        yield f"build-{name}", ["build", *words, "--emit", "ptx,sass,cubin"]
        yield f"build-{name}-json", ["build", *words, "--emit", "ptx,sass", "--json"]
        yield f"inspect-{name}", ["inspect", *words, "--code"]
        yield f"inspect-{name}-json", ["inspect", *words, "--code", "--json"]
        yield f"inspect-{name}-debug-json", ["inspect", *words, "--option=-G", "--code", "--json"]
    for path in sorted(KERNELS.rglob("*.cu")):
        for target in ("sm_90a",) if path.name == _TENSOR else _TARGETS:
            words = ["inspect", str(path), f"--arch={target}", "--code", "--no-cache", "--json"]
            yield f"inspect-{path.stem}-{target}-json", [*words, *_LOOSE]
    kernels = KERNELS / "analysis" / "findings"
    pair = [str(kernels / "kernels.cu"), str(kernels / "loop_kernels.cu"), "--no-cache", *_LOOSE]
    for what in ("sass", "ptx", "source"):
        yield f"diff-{what}-json", ["diff", *pair, "--what", what, "--json"]
    yield "diff-normalised", ["diff", *pair, "--normalised"]
    yield "diff-normalised-json", ["diff", *pair, "--normalised", "--json"]
    vector_add = [str(SAMPLES / "vector_add.cu"), "--no-cache"]
    two = [str(SAMPLES / "apply_transform.cu"), str(SAMPLES / "user_transform.cu"), "--no-cache"]
    variants = ["--compare-targets", "sm_75,sm_90", "--compare-options=-G", "--compare-options="]
    sweep = ["--axis", "block=64,128", "--axis", "target=sm_75,sm_90", "--arg", "n=1000"]
    for ending in ([], ["--json"]):
        form = "-json" if ending else ""
        yield f"links{form}", ["build", *two, "--compare-links", *ending]
        yield f"variants{form}", ["build", *vector_add, *variants, *ending]
        yield f"variants-of-a-link{form}", ["build", *two, "--lto", *variants, *ending]
        yield f"sweep{form}", ["sweep", *vector_add, *sweep, *ending]
        yield f"run{form}", ["run", *vector_add, "--arg", "n=1000", "--cover", "n", *ending]
        yield f"devices{form}", ["devices", *ending]
        yield f"cache{form}", ["cache", *ending]
        yield f"doctor{form}", ["doctor", *ending]
        yield f"options{form}", ["options", *ending]
        yield f"options-search{form}", ["options", "--tool", "nvrtc", "debug", *ending]
        for name, words in (
            ("no-file", ["build", str(temporary / "none.cu")]),
            ("no-target", ["build", *vector_add, "--arch", "sm_ninety"]),
            ("no-option", ["build", *vector_add, "--option=--no-such-option"]),
            ("not-inspected", ["inspect", str(SAMPLES / "broken.cu"), "--no-cache"]),
            ("no-kernel", ["inspect", *vector_add, "--kernel", "none"]),
            ("no-axis", ["sweep", *vector_add, "--axis", "nonsense"]),
        ):
            yield f"error-{name}{form}", [*words, *ending]
    project = KERNELS / "data" / "projects" / "version-1.jitproj"
    yield "project-json", ["build", str(project), "--json", "--no-cache"]


def _record_command(folder: Path, temporary: Path, name: str, words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "jitstudio", *words],
        capture_output=True,
        text=True,
        timeout=_TIMEOUT,
        cwd=temporary,
    )
    out = done.stdout
    if "--json" in words and out:
        out = json.dumps(_steady(json.loads(out)), indent=1, ensure_ascii=False)
    elif name in _TABLES:
        # Columns are as wide as their times.
        out = _CELLS.sub("#", re.sub(r" {2,}", "  ", out))
    errors = "\n".join(sorted(done.stderr.splitlines()))
    text = f"$ jitstudio {' '.join(words)}\nexit {done.returncode}\n{out}\n-- stderr\n{errors}\n"
    (folder / f"{name}.txt").write_text(_plain(text, str(temporary)), "utf-8")


def record_cli(folder: Path, wanted: str, temporary: Path) -> None:
    """Write a file for each command."""
    chosen = [one for one in _commands(temporary) if one[0].startswith(wanted)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda one: _record_command(folder, temporary, *one), chosen))


def record_window(folder: Path, wanted: str, temporary: Path) -> None:
    """Write what is in a window, and what it shows of each sample."""
    from tests.window_nets import record

    for name, text in record(temporary):
        if name.startswith(wanted):
            (folder / f"{name}.txt").write_text(f"{_plain(text, str(temporary))}\n", "utf-8")


def record_closing(folder: Path, wanted: str, temporary: Path) -> None:
    """Write what was wrong with windows that were closed in the midst of something."""
    from tests.closing_nets import record

    for name, text in record(temporary):
        if text and name.startswith(wanted):
            (folder / f"{name}.txt").write_text(f"{_plain(text, str(temporary))}\n", "utf-8")


def record_visits(folder: Path, wanted: str, temporary: Path) -> None:
    """Write what panes show in another way when they are come back to."""
    from tests.visit_nets import record

    for name, text in record(temporary):
        if name.startswith(wanted):
            (folder / f"{name}.txt").write_text(f"{_plain(text, str(temporary))}\n", "utf-8")


_PARTS: dict[str, Callable[[Path, str, Path], None]] = {
    "cli": record_cli,
    "window": record_window,
    "closing": record_closing,
    "visits": record_visits,
}


def main() -> None:
    """Record what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    help_text = "cli, window, closing, visits, or cli/NAME"
    parser.add_argument("part", nargs="*", default=list(_PARTS), help=help_text)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="jitstudio-nets-") as folder:
        temporary = Path(folder)
        os.environ |= {
            "JITSTUDIO_CACHE_DIR": str(temporary / "cache"),
            "JITSTUDIO_CONFIG_DIR": str(temporary / "config"),
            "XDG_DATA_HOME": str(temporary / "data"),
            "XDG_CONFIG_HOME": str(temporary / "settings"),
            "COLUMNS": "100",
            "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))),
        }
        for part in words.part:
            name, _, wanted = part.partition("/")
            (words.folder / name).mkdir(parents=True, exist_ok=True)
            _PARTS[name](words.folder / name, wanted, temporary)


if __name__ == "__main__":
    main()
