"""The owners of the parts of a session, which a start does not load."""

from __future__ import annotations

from jitstudio.gui.state.launch_specs import LaunchSpecs
from jitstudio.gui.state.project import ProjectState
from jitstudio.gui.state.session import Session
from jitstudio.gui.state.stepping import Stepping


def give_launches(session: Session, launches: LaunchSpecs) -> None:
    """Has the launches of a session be those that are typed."""
    session.launches.give(lambda: launches.specs, launches.remember_all, launches.changed)


def give_project(session: Session, project: ProjectState) -> None:
    """Has the project of a session be the open one; the launches are back before it."""
    session.project.give(project.remembered, session.resuming(project.resume), project.changed)
    session.left_project.give(lambda: None, project.take_settings_before)


def give_breakpoints(session: Session, stepping: Stepping) -> None:
    """Has the breakpoints of a session be those that are set."""
    session.breakpoints.give(
        lambda: tuple(stepping.breakpoints.items()),
        lambda breakpoints: stepping.set_breakpoints(dict(breakpoints)),
        stepping.breakpoints_changed,
    )
