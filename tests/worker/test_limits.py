import os
import subprocess
import sys

import pytest

from jitstudio.worker.limits import default_memory_limit, share_of_memory

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's"),
]

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
    assert share_of_memory(0.1) == whole // 10


def test_a_file_above_the_limit_is_refused(tmp_path):
    code = """
import sys
from jitstudio.worker.limits import limit_files
limit_files(1000)
with open(sys.argv[1], "wb", buffering=0) as file:
    print(file.write(bytes(900)))
    try:
        file.write(bytes(900))
        file.write(bytes(900))
    except OSError as error:
        print(error.strerror)
"""
    words = [sys.executable, "-c", code, str(tmp_path / "file")]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert told.splitlines() == ["900", "File too large"]
    assert (tmp_path / "file").stat().st_size == 1000
