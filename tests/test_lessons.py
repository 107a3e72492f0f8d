"""The lessons: the starting text fails, the solution passes, and nobody sees it by accident."""

import json
import re
import shutil

import pytest

from jitstudio.checks.budgets import read_budgets
from jitstudio.core.arch import Arch
from jitstudio.gui.features.lessons.controller import OFFERED
from jitstudio.gui.shell.pane_registry import PANES
from jitstudio.help.lesson_copies import copy_lesson
from jitstudio.help.lesson_progress import LessonProgress
from jitstudio.help.lesson_solutions import explained_solution
from jitstudio.help.lessons import PANES as LESSON_PANES
from jitstudio.help.lessons import LessonError, find_lesson, lessons, read_lesson
from jitstudio.help.manual import COMMAND
from tests.lesson_pictures import drawn, with_pictures

LESSONS = lessons()
NAMES = [lesson.name for lesson in LESSONS]
WHO_AM_I = find_lesson("2")
# What the worker's tests build need not be built again for each of them.
pytestmark = pytest.mark.usefixtures("shared_cache")


def solved(lesson, folder):
    """A pupil's folder with the files of the solution."""
    assert copy_lesson(lesson, folder)
    for path in (lesson.folder / "solution").iterdir():
        shutil.copyfile(path, folder / path.name)
    return folder


def test_each_has_a_project_hints_and_conditions_on_the_machine_code_or_a_launch():
    for lesson in LESSONS:
        assert lesson.project is not None
        assert lesson.hints
        budgets = read_budgets(lesson.checks).budgets
        assert any(budget.only_with_gpu for budget in budgets)
        assert any(("device", "sim") in (budget.launch or ()) for budget in budgets)
        for heading in ("## Look", "## Change", "## The check"):
            assert heading in lesson.text
        assert "## Hint" not in lesson.text


def test_each_says_how_long_it_takes_and_which_lessons_it_needs():
    needs = {lesson.name: lesson.needs for lesson in LESSONS}
    assert all(lesson.minutes for lesson in LESSONS)
    assert len({lesson.number for lesson in LESSONS}) == len(LESSONS)
    # Whoever takes them in their order has what each needs.
    for lesson in LESSONS:
        assert all(name in needs and name < lesson.name for name in lesson.needs)
    assert [lesson.name for lesson in LESSONS if not lesson.needs] == [LESSONS[0].name]


@pytest.mark.parametrize(
    ("before", "after", "advice"),
    [("twice(", "doubled(", "Known here: doubled."), ("__global__ ", "", "marked by __global__")],
)
def test_a_pupil_without_the_kernel_is_told_what_to_do(run, tmp_path, before, after, advice):
    folder = solved(find_lesson("0"), tmp_path / "pupil")
    path = folder / "twice.cu"
    path.write_text(path.read_text().replace(before, after))
    ran = run("lesson", "check", folder)
    assert ran.code == 2
    assert advice in ran.out


@pytest.mark.slow
@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("lesson", with_pictures(), ids=lambda lesson: lesson.name)
def test_pictures_are_those_of_the_lesson_as_it_begins(lesson):
    assert drawn(lesson) == (lesson.folder / "lesson.md").read_text()


def test_marks_of_pictures_are_not_shown():
    lesson = find_lesson("3")
    assert "load of a warp, 32 sectors\n\n    bytes " in lesson.text
    assert "<!--" not in lesson.text


def _checked(run, folder, *words):
    ran = run("lesson", "check", "--json", folder, *words)
    return ran.code, {goal["goal"]: goal for goal in ran.json["goals"]}


@pytest.mark.slow
@pytest.mark.parametrize("number", [7])
def test_the_starting_text_fails_and_the_solution_passes(run, tmp_path, number):
    lesson = find_lesson(str(number))
    ran = run("lesson", "open", number, "-o", tmp_path / "mine")
    assert ran.out.startswith(f"# {lesson.title}\n")
    assert not (tmp_path / "mine" / "solution").exists()
    code, goals = _checked(run, tmp_path / "mine")
    assert code == 5
    assert not all(goal["reached"] or goal["skipped"] for goal in goals.values())
    code, goals = _checked(run, solved(lesson, tmp_path / "solved"))
    assert code == 0, goals
    listed = run("lesson", "list", "--json").json["lessons"]
    assert [row["name"] for row in listed if row["passed"]] == [lesson.name]


@pytest.mark.bench
@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
@pytest.mark.parametrize("lesson", LESSONS, ids=NAMES)
def test_on_each_target_the_starting_text_fails_and_the_solution_passes(
    run, tmp_path, lesson, arch
):
    copy_lesson(lesson, tmp_path / "start")
    if lesson.least_target and Arch.parse(arch) < Arch.parse(lesson.least_target):
        ran = run("lesson", "check", tmp_path / "start", "--arch", arch)
        assert (ran.code, "later targets have" in ran.err) == (2, True)
        return
    assert _checked(run, tmp_path / "start", "--arch", arch)[0] == 5
    code, goals = _checked(run, solved(lesson, tmp_path / "solved"), "--arch", arch)
    assert code == 0, goals


def test_a_pupil_is_told_what_is_not_reached_and_why(run, tmp_path):
    (tmp_path / "k.cu").write_text('extern "C" __global__ void k(float* a) { *a *= 2.1; }\n')
    (tmp_path / "lesson.md").write_text("# My own\n\nDo it.\n\n## Hint\n\nA letter.\n")
    text = '[[budget]]\nname = "No double is used."\nsource = "k.cu"\nrequire = ["no double"]\n'
    (tmp_path / "checks.toml").write_text(text)
    ran = run("lesson", "check", tmp_path, "--hint", 1)
    assert ran.code == 5
    assert re.search(r"^not yet +No double is used\.$", ran.out, re.M)
    assert (
        "Instructions that calculate in fp64: expected none, found 1 (k.cu, line 1).\n" in ran.out
    )
    assert "hint 1: A letter." in ran.out
    (tmp_path / "k.cu").write_text('extern "C" __global__ void k(float* a) { *a *= 2.1f; }\n')
    assert run("lesson", "check", tmp_path).code == 0
    # A pupil who has made the conditions of his copy easier is graded by the teacher's.
    strict = tmp_path / "teacher"
    strict.mkdir()
    shutil.copyfile(tmp_path / "lesson.md", strict / "lesson.md")
    (strict / "checks.toml").write_text(text.replace("no double", "registers <= 1"))
    assert run("lesson", "check", tmp_path, "--by", strict).code == 5
    (tmp_path / "k.cu").write_text("broken\n")
    assert run("lesson", "check", tmp_path).code == 1
    # No comment in a source adds an option to those of a [build] table.
    (tmp_path / "k.cu").write_text(
        "// jitstudio: -arch sm_80 -D LIGHT\n#ifdef LIGHT\n#define DOUBLE float\n#endif\n"
        'extern "C" __global__ void k(DOUBLE* a) { *a *= 2.1f; }\n'
    )
    build = '[build]\ntarget = "sm_90"\noption = ["-DDOUBLE=double"]\n'
    assert _checked(run, tmp_path)[0] == 0
    (strict / "checks.toml").write_text(build + text)
    assert _checked(run, tmp_path, "--by", strict)[0] == 5
    ran = run("lesson", "check", tmp_path, "--by", strict)
    assert f"are those of '{strict / 'checks.toml'}'.\n" in ran.err
    assert "fp64: expected none, found 1" in ran.out
    (strict / "checks.toml").write_text(build.replace("option", "optoin") + text)
    assert (
        "build has no key 'optoin'. Did you mean 'option'?"
        in run("lesson", "check", tmp_path, "--by", strict).err
    )


def test_a_pupil_is_graded_by_the_launch_of_the_teacher(run, tmp_path):
    folder = solved(WHO_AM_I, tmp_path / "mine")
    code, project = folder / "square.cu", folder / "lesson.jitproj"
    code.write_text(code.read_text().replace("x[i] * x[i]", "0.0f * x[i]"))
    project.write_text(project.read_text().replace('"y = x * x"', '"y = 0 * x"'))
    ran = run("lesson", "check", folder)
    assert ran.code == 0
    assert "in the pupil's folder; --by LESSON takes the teacher's." in ran.err
    # Nor do the target and the options of his copy count.
    project.write_text(project.read_text().replace('"sm_90"', '"sm_75"'))
    made = run("lesson", "check", folder, "--json", "--by", 2).json
    assert {budget["arch"] for budget in made["budgets"]} == {"sm_90"}
    teacher = WHO_AM_I.folder
    assert made["conditions_file"] == str(teacher / "checks.toml")
    assert made["settings_file"] == str(teacher / "lesson.jitproj")
    ended, found = _checked(run, folder, "--by", 2)
    missed = [goal for goal in found.values() if not goal["reached"] and not goal["skipped"]]
    assert ended == 5
    assert "'x * x' says" in missed[0]["reasons"][0]


def test_bad_lessons_are_told(run, tmp_path):
    assert f"There is no lesson '99'. There are {NAMES[0]}, " in run("lesson", "open", "99").err
    assert "is not a lesson: its lesson.md cannot be read" in run("lesson", "check", tmp_path).err
    assert "are required: LESSON" in run("lesson", "open").err
    (tmp_path / "lesson.md").write_text("# Mine\n")
    text = '[[budget]]\nsource = "k.cu"\nrequire = ["no duoble"]\n'
    (tmp_path / "checks.toml").write_text(text)
    ran = run("lesson", "check", tmp_path)
    assert ran.code == 2
    assert "Did you mean 'double'?" in ran.err
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.cu").write_text("")
    with pytest.raises(LessonError, match="has other files in it"):
        copy_lesson(LESSONS[0], tmp_path / "full")


def test_what_was_changed_is_never_overwritten(tmp_path):
    assert copy_lesson(WHO_AM_I, tmp_path)
    (tmp_path / "square.cu").write_text("mine")
    assert not copy_lesson(WHO_AM_I, tmp_path)
    assert (tmp_path / "square.cu").read_text() == "mine"
    assert read_lesson(tmp_path).title == WHO_AM_I.title


def test_a_copy_that_was_cut_off_is_made_whole(tmp_path):
    source = WHO_AM_I.folder / "square.cu"
    (tmp_path / "square.cu").write_bytes(source.read_bytes()[:40])
    assert copy_lesson(WHO_AM_I, tmp_path)
    assert (tmp_path / "square.cu").read_bytes() == source.read_bytes()
    assert read_lesson(tmp_path).title == WHO_AM_I.title


def test_a_damaged_file_of_progress_is_none(tmp_path):
    path = tmp_path / "settings" / "lessons.json"
    progress = LessonProgress(path)
    progress.add(LESSONS[0])
    progress.add(LESSONS[2])
    assert progress.passed() == {LESSONS[0].title, LESSONS[2].title}
    for text in ("[", "[]", json.dumps({"passed": [1]}), json.dumps({"passed": 3})):
        path.write_text(text)
        assert progress.passed() == frozenset()


def write_head(folder, head):
    (folder / "lesson.md").write_text(f"+++\n{head}\n+++\n# Title\n\nText.\n")


def test_a_lesson_says_which_panes_it_is_about(tmp_path):
    write_head(tmp_path, 'panes = ["sass", "launch", "sass"]')
    lesson = read_lesson(tmp_path)
    assert lesson.panes == ("sass", "launch")
    assert lesson.text == "# Title\n\nText.\n"
    # As Notepad saves UTF-8.
    saved = (tmp_path / "lesson.md").read_bytes().replace(b"\n", b"\r\n")
    (tmp_path / "lesson.md").write_bytes(b"\xef\xbb\xbf" + saved)
    assert read_lesson(tmp_path) == lesson
    assert all(lesson.panes for lesson in LESSONS)
    assert {pane.name for pane in PANES} >= set(LESSON_PANES)


@pytest.mark.parametrize(
    ("head", "effort"),
    [
        ("minutes = 5", "About 5 minutes."),
        ('needs = ["02-who-am-i"]', "Needs lesson 2."),
        (
            'minutes = 20\nneeds = ["02-who-am-i", "mine", "07-banks"]\nleast_target = "80"',
            "About 20 minutes. Needs lessons 2, mine and 7. For sm_80 and later.",
        ),
    ],
)
def test_the_effort_is_below_the_heading(tmp_path, head, effort):
    write_head(tmp_path, head)
    assert read_lesson(tmp_path).text == f"# Title\n\n*{effort}*\n\nText.\n"


def test_a_target_that_has_not_what_a_lesson_is_about_is_refused(run, tmp_path):
    copy_lesson(WHO_AM_I, tmp_path)
    write_head(tmp_path, 'least_target = "sm_90"')
    ran = run("lesson", "check", tmp_path, "--arch", "sm_89")
    assert (ran.code, ran.out) == (2, "")
    assert "This check was for sm_89. Choose sm_90 or later as the target." in ran.err
    assert run("lesson", "check", tmp_path).code == 5


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("panes = [", "not TOML"),
        ('panels = ["sass"]', "'panels'"),
        ('panes = "sass"', "not a list"),
        ('panes = ["sas"]', "no pane 'sas'"),
        ("minutes = 0", "minutes that are not from 1"),
        ('minutes = "10"', "minutes that are not from 1"),
        ("minutes = true", "minutes that are not from 1"),
        ('needs = "02-who-am-i"', "needs that are not a list"),
        ('needs = [""]', "needs that are not a list"),
        ('least_target = "sm_eighty"', "least_target that cannot be read: 'sm_eighty'"),
    ],
)
def test_a_head_that_cannot_be_read_is_said(tmp_path, head, words):
    write_head(tmp_path, head)
    with pytest.raises(LessonError, match=words):
        read_lesson(tmp_path)


def test_a_head_without_an_end_is_said(tmp_path):
    (tmp_path / "lesson.md").write_text('+++\npanes = ["sass"]\n# Title\n')
    with pytest.raises(LessonError, match="no other such line"):
        read_lesson(tmp_path)


@pytest.mark.parametrize("lesson", LESSONS, ids=NAMES)
def test_each_solution_is_explained_with_its_difference(lesson):
    explained, _, difference = explained_solution(lesson).partition("\n\n```diff\n")
    assert explained.startswith("## ")
    assert re.search(r"^\+[^+]", difference, re.M)
    assert {name for _, name in COMMAND.findall(lesson.text)} <= OFFERED
