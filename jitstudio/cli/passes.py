"""`jitstudio passes`: the changes of the PTX by each pass of the optimiser."""

from __future__ import annotations

import json

from jitstudio.analysis.diff.unified import unified
from jitstudio.analysis.passes import FilmReading, compare_step
from jitstudio.cli.text_output import print_diagnostics, print_summary
from jitstudio.command_options.build import PassesOptions
from jitstudio.commands import exit_codes
from jitstudio.commands.json_passes import passes_object
from jitstudio.commands.passes import passes, shown_steps
from jitstudio.core.diagnostics import diagnostic_line
from jitstudio.core.passes import Film, FilmStep
from jitstudio.system.terminal import print_error, print_progress, say, table_lines


def run(options: PassesOptions) -> int:
    """Builds and films; returns the exit status.

    Raises:
        UsageError: An argument is wrong or a file cannot be read.
        WorkerError: The worker itself failed.
    """
    answer = passes(options, on_progress=_show_progress)
    if options.json:
        say(json.dumps(passes_object(answer)))
    else:
        print_diagnostics(answer.result.diagnostics)
        if not answer.result.ok:
            print_summary(answer.result)
        for reading in answer.readings:
            _show(reading, options)
    if answer.result.ok and answer.has_failed:
        return exit_codes.FAILED
    return exit_codes.OF_OUTCOME[answer.result.outcome]


def _show_progress(film: Film) -> None:
    print_progress(f"{film.name}: {film.tried:,} of at most {film.limits:,} builds")


def _show(reading: FilmReading, options: PassesOptions) -> None:
    film, steps = reading.film, shown_steps(reading, options)
    if options.number is not None and not steps and film.passes:
        _print_no_change(film, options.number)
    elif options.number is None and not options.lines and film.passes:
        _print_table(film)
    for step in steps:
        _print_diff(step)
    if options.lines:
        _print_lines(reading)
    elif options.number is None and film.pass_list:
        for remark in film.pass_list.remarks:
            say(diagnostic_line(remark))
    for note in film.notes:
        print_error(f"{film.name}: {note}")


def _print_no_change(film: Film, number: int) -> None:
    if number > len(film.passes):
        say(f"There is no pass {number:,}: {film.name} has {len(film.passes):,} passes.")
    elif {number - 1, number} <= film.ptx.keys():
        title = film.passes[number - 1].title
        say(f"Pass {number} ({title}) changes nothing in the PTX of {film.name}.")
    else:
        say(f"Whether pass {number} changes the PTX of {film.name} is unknown: it was not tried.")


def _print_table(film: Film) -> None:
    rows = [("pass", "lines", "change")]
    for step in film.steps:
        before, after = len(step.before.splitlines()), len(step.after.splitlines())
        rows.append((step.title, f"{after:,}", f"{after - before:+,}"))
    for line in table_lines(rows):
        say(line)
    count, changes = len(film.passes), len(film.steps)
    changing = f"{changes:,} changes seen" if film.problem else f"{changes:,} change the PTX"
    print_error(f"{film.name}: {count:,} passes by {film.tool.value}, {changing}")


def _print_diff(step: FilmStep) -> None:
    say(f"--- before {step.title}")
    say(f"+++ after {step.title}")
    for line in unified(compare_step(step)):
        say(line)


def _print_lines(reading: FilmReading) -> None:
    rows = [("line", "source", "PTX", "made by pass")]
    for origin in reading.origins:
        place = f"{origin.place[0].file}:{origin.place[0].line}" if origin.place else "-"
        made = origin.step.title if origin.step else "-"
        rows.append(
            (
                f"{origin.line}",
                place,
                origin.text.expandtabs(4),
                f"{made} (moved)" if origin.is_moved else made,
            )
        )
    for line in table_lines(rows, left=4):
        say(line)
