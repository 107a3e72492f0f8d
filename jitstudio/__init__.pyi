from jitstudio.api.commands import build as build
from jitstudio.api.commands import diff as diff
from jitstudio.api.commands import inspect as inspect
from jitstudio.api.commands import run as run
from jitstudio.api.reports import BuildReport as BuildReport
from jitstudio.api.reports import DiffReport as DiffReport
from jitstudio.api.reports import InspectReport as InspectReport
from jitstudio.api.reports import LaunchReport as LaunchReport
from jitstudio.api.session import Session as Session
from jitstudio.api.show import show as show

__version__: str
