"""What it takes to find the host code of 5,000 lines without blank ones, in time of the processor.

    python tests/bench/host_code.py [ROUNDS]

The text is made of the whole programs of the tests. It is read for the first time, and again as
while someone types. The goal is 20 ms for each; the best of the rounds counts, as others may use
the machine.
"""

import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from jitstudio.listing.cuda import host_code  # noqa: E402

GOAL_MS = 20.0
LINES = 5000


def dense_text() -> bytes:
    """Whole programs without their blank lines."""
    programs = sorted((ROOT / "tests" / "data" / "programs").glob("*.cu"))
    lines = [x for p in programs for x in p.read_bytes().splitlines(True) if x.strip()]
    return b"".join(lines[:LINES])


def forget() -> None:
    """Empties whatever the readers of texts have kept of the last one."""
    for name, module in list(sys.modules.items()):
        if name.startswith("jitstudio.listing."):
            for value in vars(module).values():
                if callable(getattr(value, "cache_clear", None)):
                    value.cache_clear()


def taken(text: bytes) -> float:
    """The milliseconds of a processor that one search takes."""
    began = time.process_time()
    assert host_code.find_host_code(text).spans
    return (time.process_time() - began) * 1000


def main(rounds: int) -> int:
    """Prints the figures; returns 1 if a goal is missed."""
    text = dense_text()
    first, again = [], []
    for number in range(rounds):
        forget()
        first.append(taken(text))
        again.append(taken(text.replace(b"int main", b"int main_%d" % number, 1)))
    print(f"{text.count(10):,} lines, {len(text):,} bytes; goal {GOAL_MS:.0f} ms")
    print(f"for the first time {min(first):6.1f} ms\nagain              {min(again):6.1f} ms")
    return max(min(first), min(again)) >= GOAL_MS


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 30))
