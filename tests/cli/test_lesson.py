"""`jitstudio lesson` from the first lesson to the table of a class."""

import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jitstudio.commands import exit_codes
from jitstudio.commands.lesson_class import HandIn
from jitstudio.help.lesson_copies import copy_lesson, window_copies
from jitstudio.help.lesson_progress import LessonProgress
from jitstudio.help.lessons import find_lesson, lessons
from jitstudio.worker.host import WorkerError

LESSONS = lessons()
WHO_AM_I = find_lesson("2")
pytestmark = pytest.mark.usefixtures("shared_cache")


@pytest.fixture(autouse=True)
def own_data(monkeypatch, tmp_path):
    """A home without copies of the window, and without progress."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("JITSTUDIO_CONFIG_DIR", str(tmp_path / "settings"))


def solve(number, folder):
    lesson = find_lesson(str(number))
    copy_lesson(lesson, folder)
    for path in (lesson.folder / "solution").iterdir():
        shutil.copyfile(path, folder / path.name)


def replace_in(path, before, after):
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


@pytest.mark.slow
def test_a_pupil_goes_from_a_lesson_to_the_next(run, tmp_path):
    assert run("lesson", "next").out.startswith(f"# {LESSONS[0].title}\n")
    LessonProgress().add(LESSONS[0])
    assert run("lesson", "next").out.startswith(f"# {LESSONS[1].title}\n")
    ran = run("lesson", "check", "1")
    assert ran.code == 5
    assert "1 of 2 goals is reached.\n" in ran.out
    assert "Before" not in ran.out
    assert "is not passed yet" in run("lesson", "solution", "1").err
    solve(1, tmp_path / "01-line-to-machine")
    ran = run("lesson", "check", "1")
    assert ran.code == 0
    assert re.search(r"^  FFMA .*: 0 → 1$", ran.out, re.M)
    assert re.search(r"^  FMUL .*: 1 → 0$", ran.out, re.M)
    assert f"opens '{LESSONS[2].title}'" in ran.err
    assert "'jitstudio lesson solution 1' explains the solution." in ran.err
    assert "are those of" not in ran.err
    explained = run("lesson", "solution", "1").out
    assert "+        y[i] = a * x[i] + y[i];\n" in explained
    assert f"\n2 of {len(LESSONS)} passed.\n" in run("lesson", "list").out
    assert run("lesson", "next").out.startswith(f"# {LESSONS[2].title}\n")
    for lesson in LESSONS:
        LessonProgress().add(lesson)
    ran = run("lesson", "next")
    assert (ran.code, ran.out) == (0, "")


def test_a_number_is_the_copy_here_or_that_of_the_window(run, tmp_path):
    ran = run("lesson", "check", 2)
    assert ran.code == 2
    assert "'jitstudio lesson open 2' makes one." in ran.err
    copy_lesson(WHO_AM_I, window_copies() / WHO_AM_I.name)
    ran = run("lesson", "check", 2, "--json")
    assert ran.code == 5
    assert ran.json["budgets"][0]["files"] == [str(window_copies() / "02-who-am-i/lesson.jitproj")]


def test_an_error_of_a_compiler_is_told_once_and_no_goal_is_judged(run, tmp_path):
    copy_lesson(WHO_AM_I, tmp_path / "mine")
    replace_in(tmp_path / "mine" / "square.cu", "x[i];", "x[i]")
    ran = run("lesson", "check", "mine")
    assert ran.code == 1
    error, rest = ran.out.split("\n", 1)
    assert error.startswith(
        'error        Expected a ";" (square.cu, line 5). A semicolon is missing'
    )
    assert rest == "No goal could be judged: fix this first.\n"
    answer = run("lesson", "check", "mine", "--json").json
    assert len(answer["obstacles"]) == 1
    assert not any(goal["judged"] for goal in answer["goals"])


def test_what_a_fault_hides_is_not_checked(run, tmp_path):
    copy_lesson(WHO_AM_I, tmp_path / "mine")
    replace_in(tmp_path / "mine" / "square.cu", "y[i] =", "y[i + 1000000] =")
    ran = run("lesson", "check", "mine")
    assert ran.code == 5
    assert ran.out.count("past the end of y") == 1
    assert "step (square.cu, line 4).\n" in ran.out
    goals = {goal["goal"]: goal for goal in run("lesson", "check", "mine", "--json").json["goals"]}
    squared = goals["Each element is squared, by a thread of its own."]
    assert (squared["judged"], squared["reached"]) == (False, False)
    assert "kernel was stopped by this fault" in squared["reasons"][0]
    end = goals["No thread goes beyond the end."]
    assert (end["judged"], end["reached"]) == (True, False)


def test_the_setting_that_a_lesson_is_about_is_the_pupils(run, tmp_path):
    """The solution of the lesson about the linker changes the project and nothing else."""
    solve(12, tmp_path / "12-linker")
    assert run("lesson", "check", "12").code == 0
    replace_in(tmp_path / "12-linker" / "lesson.jitproj", '"lto"', '"ptx"')
    assert run("lesson", "check", "12").code == 5


def test_hints_are_remembered_until_the_copy_is_reset(run, tmp_path):
    first, second, third = WHO_AM_I.hints
    assert run("lesson", "hint", 2).out == f"hint 1: {first}\n"
    assert run("lesson", "hint", 2).out == f"hint 2: {second}\n"
    run("lesson", "open", 2)
    own = tmp_path / "02-who-am-i" / "square.cu"
    start = own.read_text()
    own.write_text("mine")
    (own.parent / "notes.txt").write_text("added")
    ran = run("lesson", "reset", 2)
    backup = tmp_path / "02-who-am-i-before-1"
    assert f"'{backup}'" in ran.err
    assert own.read_text() == start
    assert (own.parent / "notes.txt").read_text() == "added"
    assert ((backup / "square.cu").read_text(), (backup / "notes.txt").read_text()) == (
        "mine",
        "added",
    )
    assert "Nothing was changed." in run("lesson", "reset", 2).err
    own.write_text("mine again")
    run("lesson", "reset", own.parent)
    assert (tmp_path / "02-who-am-i-before-2" / "square.cu").read_text() == "mine again"
    assert run("lesson", "hint", 2, "--all").out.count("hint ") == 3
    assert third not in run("lesson", "hint", 2).out


def test_a_reset_writes_through_no_link_and_leaves_no_half_of_a_backup(run, tmp_path):
    other = tmp_path / "other.cu"
    other.write_text("of another project")
    own = tmp_path / "02-who-am-i" / "square.cu"
    copy_lesson(WHO_AM_I, own.parent)
    own.unlink()
    own.symlink_to(other)
    ran = run("lesson", "reset", 2)
    assert (ran.code, other.read_text()) == (2, "of another project")
    assert "is a link or a folder. Nothing was changed." in ran.err
    own.unlink()
    own.write_text("mine")
    for number in range(200):
        (own.parent / f"{number}.txt").touch()
    assert "has more than 200 files" in run("lesson", "reset", 2).err
    assert own.read_text() == "mine"
    assert not list(tmp_path.glob("*-before-*"))


def test_a_teachers_copy_is_reset_by_the_teachers_folder(run, tmp_path):
    for name, text in (("teacher", "start"), ("mine", "changed")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lesson.md").write_text("# My own\n")
        (tmp_path / name / "k.cu").write_text(text)
    assert "--by LESSON names the teacher's folder" in run("lesson", "reset", "mine").err
    assert run("lesson", "reset", "mine", "--by", "teacher").code == 0
    assert (tmp_path / "mine" / "k.cu").read_text() == "start"
    assert (tmp_path / "mine-before-1" / "k.cu").read_text() == "changed"


@pytest.mark.slow
def test_a_class_is_a_table_of_pupils_and_goals(run, tmp_path):
    hand_ins = tmp_path / "hand-ins"
    hand_ins.mkdir()
    solve(2, hand_ins / "ada")
    copy_lesson(WHO_AM_I, hand_ins / "bob")
    # Easier conditions of a copy do not count, as the lesson is one of ours.
    (hand_ins / "bob" / "checks.toml").write_text("")
    copy_lesson(WHO_AM_I, hand_ins / "cy")
    replace_in(hand_ins / "cy" / "square.cu", "x[i];", "x[i]")
    (hand_ins / "dan").mkdir()
    ran = run("lesson", "class", hand_ins)
    assert ran.code == 0
    rows = {line.split()[0]: line.split() for line in ran.out.splitlines() if line}
    assert rows["pupil"] == ["pupil", "passed", "reached", "1.", "2.", "3.", "4."]
    gpu = rows["ada"][-1]
    assert rows["ada"] == ["ada", "yes", *rows["ada"][2:5], "yes", "yes", "yes", gpu]
    assert rows["bob"][5:8] == ["no", "no", "yes"]
    assert rows["cy"][5:8] == ["?", "?", "?"]
    assert "Passed by 1 of 4 pupils." in ran.out
    assert 'cy: Expected a ";" (square.cu, line 5).' in ran.err
    assert "dan: " in ran.err
    assert "is not a lesson" in ran.err
    pupils = {
        row["pupil"]: row for row in run("lesson", "class", hand_ins, "--json").json["pupils"]
    }
    assert [pupils[name]["passed"] for name in ("ada", "bob", "cy", "dan")] == [True, *[False] * 3]
    assert pupils["dan"]["problem"]
    assert not any(row["own_conditions"] for row in pupils.values())
    assert "own folders" not in ran.err
    # A lesson of another title is none of ours.
    replace_in(hand_ins / "bob" / "lesson.md", "# Who am I?", "# Who am I")
    shutil.copyfile(find_lesson("2").checks, hand_ins / "bob" / "checks.toml")
    shutil.rmtree(hand_ins / "ada")
    ran = run("lesson", "class", hand_ins)
    assert "which they may have changed: bob. --by LESSON takes the teacher's." in ran.err
    # The teacher has passed nothing.
    assert f"\n0 of {len(LESSONS)} passed." in run("lesson", "list").out
    assert "has no folders in it" in run("lesson", "class", hand_ins / "dan").err


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (WorkerError("The worker is gone."), exit_codes.CRASHED),
        (KeyboardInterrupt(), exit_codes.INTERRUPTED),
    ],
    ids=["worker", "interrupt"],
)
def test_the_json_of_a_class_is_whole_when_the_judging_ends_early(run, monkeypatch, end, code):
    def judged(*_):
        yield HandIn("ada", "", problem="No lesson.")
        raise end

    monkeypatch.setattr("jitstudio.cli.lesson.hand_ins", judged)
    ran = run("lesson", "class", ".", "--json")
    assert ran.code == code
    assert [row["pupil"] for row in ran.json["pupils"]] == ["ada"]


@pytest.mark.slow
def test_a_copy_is_watched_until_it_is_passed(run, tmp_path, monkeypatch):
    mine = tmp_path / "mine"
    copy_lesson(find_lesson("1"), mine)
    # While it waits for a change, the pupil makes one.
    monkeypatch.setattr(time, "sleep", lambda _seconds: solve(1, mine))
    ran = run("lesson", "watch", mine)
    assert ran.code == 0
    assert ran.out.index("1 of 2 goals is reached.") < ran.out.index("is passed.")


@pytest.mark.slow
def test_watching_goes_on_after_a_file_that_is_half_written(run, tmp_path, monkeypatch):
    mine = tmp_path / "mine"
    copy_lesson(find_lesson("1"), mine)
    replace_in(mine / "checks.toml", "[[budget]]", "[[budget")

    def save(_seconds):
        solve(1, mine)
        shutil.copyfile(find_lesson("1").checks, mine / "checks.toml")

    monkeypatch.setattr(time, "sleep", save)
    ran = run("lesson", "watch", mine)
    assert "is not TOML" in ran.err
    assert ran.code == 0
    shutil.rmtree(mine)
    copy_lesson(find_lesson("1"), mine)
    monkeypatch.setattr(time, "sleep", lambda _seconds: shutil.rmtree(mine, True))
    ran = run("lesson", "watch", mine)
    assert ran.code == 2
    assert ran.err.endswith(f"jitstudio: '{mine}' has no files any more.\n")


def test_commands_that_come_next_can_be_copied(run, tmp_path):
    ran = run("lesson", "open", 2, "-o", tmp_path / "my first")
    commands = [line.split("  ")[1] for line in ran.err.splitlines() if line.startswith("  ")]
    assert len(commands) == 5
    words = [shlex.split(command) for command in commands]
    assert all(any(Path(word).exists() for word in command) for command in words)


def test_a_lesson_without_hints_says_so(run, tmp_path):
    (tmp_path / "lesson.md").write_text("# My own\n")
    ran = run("lesson", "hint", tmp_path)
    assert (ran.code, ran.out, ran.err) == (0, "", "'My own' has no hints.\n")


@pytest.mark.slow
def test_ctrl_c_ends_watching(tmp_path, environment):
    (tmp_path / "k.cu").write_text('extern "C" __global__ void k(float* a) { *a *= 2.1; }\n')
    (tmp_path / "lesson.md").write_text("# My own\n")
    (tmp_path / "checks.toml").write_text(
        '[[budget]]\nname = "No double."\nsource = "k.cu"\nrequire = ["no double"]\n'
    )
    command = [sys.executable, "-P", "-m", "jitstudio", "lesson", "watch", str(tmp_path)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        # A test run in the background ignores the signal, and hands that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None
        line = ""
        while "goals" not in line:
            line = process.stdout.readline()
            assert line
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "is no longer watched" in err
    assert "Traceback" not in err
