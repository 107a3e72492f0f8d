"""All that a kernel prints is heard, whenever it is printed, until the launch is over."""

import json
import random
import subprocess
import sys

import pytest

PROGRAM = """
import json, os, sys, time
from jitstudio.toolchain.gpu.launch_runner import Console

heard = []
parts = json.load(sys.stdin)
with Console(heard.append) as console:
    for descriptor, text, seconds in parts:
        os.write(descriptor, text.encode())
        time.sleep(seconds)
    console.mute()
    os.write(1, b"muted")
    os.write(2, b"assert")
with open(sys.argv[1], "w") as file:
    json.dump([console.text, heard], file)
"""


def printed(tmp_path, parts):
    """The text of a console, and what was heard, of these writes to stdout and stderr."""
    with open(tmp_path / "out", "w+b") as out, open(tmp_path / "err", "w+b") as err:
        words, data = (
            [sys.executable, "-c", PROGRAM, tmp_path / "heard"],
            json.dumps(parts).encode(),
        )
        subprocess.run(words, input=data, stdout=out, stderr=err, check=True, timeout=60)
    return json.loads((tmp_path / "heard").read_text())


@pytest.mark.parametrize("seed", range(2))
def test_what_is_printed_is_heard_once_and_in_order(tmp_path, seed):
    chance = random.Random(seed)
    parts = [
        (
            chance.choice([1, 1, 2]),
            f"{n}: " + "x" * chance.randrange(99) + "\n",
            chance.random() / 9,
        )
        for n in range(8)
    ]
    text, heard = printed(tmp_path, parts)
    assert text == "".join(heard)
    for descriptor, rest in ((1, []), (2, ["assert"])):
        lines = [words for where, words, _ in parts if where == descriptor]
        own = [line for line in text.splitlines(keepends=True) if line in lines + rest]
        assert own == lines + rest
    assert "muted" not in text


def test_what_is_too_much_is_left_out_and_said(tmp_path):
    text, heard = printed(tmp_path, [(1, "x" * (1 << 20), 0.1)] * 6)
    assert text == "".join(heard)
    assert 4 << 20 <= text.count("x") < 6 << 20
    assert text.count("the rest is left out") == 1
