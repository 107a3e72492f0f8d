"""What the manual promises a teacher who builds a pupil's project, sentence by sentence."""

import json
import shutil
import subprocess
import sys

import pytest

from tests.support import CRASHING_IR, KERNEL, ROOT, SLOW_CUDA

OPENING = (
    "Opening a pupil's project runs nothing and reads no file outside its folder but "
    "jitstudio's own."
)
BUILDING = (
    "Building it runs the compilers in processes that reach no network, start no programs but "
    "NVIDIA's, write nowhere but in a folder of their own, and read nothing but the project's "
    "folder and the toolchain; options that load code or write files are refused until you say "
    "that you trust it."
)
ENDING = (
    "Whatever goes wrong in there, a crash, a compile without end or memory that runs out, ends "
    "that process only: your text is kept, and the next build gives what it would have given "
    "anyway."
)
SECRET = "a-secret-of-the-teacher"
PROBE = """
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static void say(const char *what, long result) {
    fprintf(stderr, "%s: %s\\n", what, result < 0 ? "refused" : "done");
}
__attribute__((constructor)) static void run(void) {
    char *words[] = {"/bin/sh", "-c", "true", 0};
    say("reads", open("HOME/secret", O_RDONLY));
    say("writes", open("HOME/owned", O_CREAT | O_WRONLY, 0600));
    say("connects", socket(AF_INET, SOCK_STREAM, 0));
    say("signals", kill(getppid(), 0));
    say("starts", execve("/bin/sh", words, words + 3));
}
"""
HARMLESS = {"name": "k.cu", "kind": "cuda", "text": KERNEL.split("\n")}
LOADS = "-Xnvvm=-Xopt -Xnvvm=-load=./data.bin"

# Run in a fresh Python: every file that is opened and every process that is started is noted.
OPEN_AND_NOTE = """
import json, sys
from jitstudio.commands.project_files import read_project
from jitstudio.commands.trust import TrustStore
from pathlib import Path
noted = []
def note(event, arguments):
    if event in ("open", "os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork"):
        noted.append([event, str(arguments[0])])
sys.addaudithook(note)
opened = read_project(Path(sys.argv[1]))
TrustStore().standing(opened)
print(json.dumps(noted))
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "secret").write_text(f"#error {SECRET}\n")
    monkeypatch.setenv("HOME", str(folder))
    for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    return folder


@pytest.fixture
def project(tmp_path):
    """Writes a project into a folder of its own."""
    folder = tmp_path / "pupil"
    folder.mkdir()

    def write(*modules, **more):
        path = folder / "homework.jitproj"
        path.write_text(json.dumps({"version": 1, "target": "sm_90", "modules": modules} | more))
        return path

    return write


@pytest.mark.parametrize("sentence", [OPENING, BUILDING, ENDING])
def test_the_manual_says_so(sentence):
    assert sentence in " ".join((ROOT / "resources" / "help" / "files.md").read_text().split())


def test_opening_runs_nothing_and_reads_the_folder_only(home, project, environment):
    secret = str(home / "secret")
    path = project(
        HARMLESS,
        {"name": "a.h", "kind": "cuda", "text": [f'#include "{secret}"']},
        {"name": "b.cu", "kind": "cuda", "path": secret},
        {"name": "c.cu", "kind": "cuda", "path": "../home/secret"},
        options=f"{LOADS} --pre-include={secret} --time={home}/owned",
        launches=[{"kernel": "fine", "arguments": {"p": f"4:file({secret})"}}],
    )
    done = subprocess.run(
        [sys.executable, "-c", OPEN_AND_NOTE, path],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    noted = json.loads(done.stdout)
    assert {event for event, _ in noted} == {"open"}
    read = {name for _, name in noted if not name.startswith((f"{ROOT}/", sys.prefix))}
    assert str(path) in read
    assert not [name for name in read if "secret" in name]
    assert sorted(path.name for path in home.iterdir()) == ["secret"]


def test_options_that_load_code_or_write_are_refused_until_it_is_trusted(home, project, run):
    for options in (LOADS, f"--time={home}/owned", f"-Xcudafe --list={home}/owned"):
        ran = run("build", project(HARMLESS, options=options, link="lto"))
        assert ran.code == 2
        assert "not trusted" in ran.err
    ran = run("build", project(HARMLESS | {"text": [f'#include "{home}/secret"', *KERNEL]}))
    assert ran.code == 1
    assert SECRET not in ran.out + ran.err
    assert sorted(path.name for path in home.iterdir() if path.name != ".cache") == ["secret"]


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler to write it with")
def test_even_code_that_runs_in_the_compiler_reaches_nothing(home, project, run_apart):
    library = project(HARMLESS).parent / "data.bin"
    text = PROBE.replace("HOME", str(home))
    words = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library]
    subprocess.run(words, input=text, text=True, check=True)
    path = project(HARMLESS, options=LOADS.replace("./data.bin", str(library)), link="lto")
    # The user says twice that all is well, and is wrong.
    ran = run_apart("build", path, "--trust", "--unsafe-options")
    for deed in ("reads", "writes", "connects", "signals", "starts"):
        assert f"{deed}: refused" in ran.err
    assert not (home / "owned").exists()


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ({"name": "crash.ll", "kind": "llvm-ir", "text": CRASHING_IR.split("\n")}, ()),
        ({"name": "slow.cu", "kind": "cuda", "text": SLOW_CUDA.split("\n")}, ("--timeout", 1)),
    ],
    ids=["crash", "endless"],
)
def test_what_goes_wrong_ends_its_process_only(project, run, module, words):
    before = run("build", project(HARMLESS), "--no-cache")
    ran = run("build", project(module, target="sm_100"), *words)
    assert ran.code == 4
    assert "next build works." in ran.err
    after = run("build", project(HARMLESS), "--no-cache")
    assert (after.code, after.out) == (before.code, before.out)
