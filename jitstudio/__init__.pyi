from jitstudio.api.commands import build as build
from jitstudio.api.commands import diff as diff
from jitstudio.api.commands import inspect as inspect
from jitstudio.api.commands import passes as passes
from jitstudio.api.commands import run as run
from jitstudio.api.reports import BuildReport as BuildReport
from jitstudio.api.reports import DiffReport as DiffReport
from jitstudio.api.reports import InspectReport as InspectReport
from jitstudio.api.reports import LaunchReport as LaunchReport
from jitstudio.api.reports import PassesReport as PassesReport
from jitstudio.api.show import show as show
from jitstudio.commands.sessions import Session as Session

__version__: str
