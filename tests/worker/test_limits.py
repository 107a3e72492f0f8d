import os
import subprocess
import sys

import pytest

from jitstudio.worker.limits import default_memory_limit

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")

_TAKE = """
import sys
from jitstudio.worker.limits import limit_memory
limit_memory(int(sys.argv[1]))
try:
    taken = bytearray(int(sys.argv[2]))
except MemoryError:
    print("refused")
else:
    print("taken")
"""


def take(limit, size):
    words = [sys.executable, "-c", _TAKE, str(limit), str(size)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def test_memory_above_the_limit_is_refused():
    assert take(100 << 20, 200 << 20) == "refused"
    assert take(300 << 20, 200 << 20) == "taken"


def test_zero_is_no_limit():
    assert take(0, 200 << 20) == "taken"


def test_the_default_leaves_the_machine_some_memory():
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert whole // 2 < default_memory_limit() < whole
