from jitstudio.api.commands import build as build
from jitstudio.api.commands import diff as diff
from jitstudio.api.commands import inspect as inspect
from jitstudio.api.commands import run as run
from jitstudio.api.show import show as show

__version__: str
