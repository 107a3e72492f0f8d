"""What it takes to find the host code of 5,000 lines without blank ones, in time of the processor.

    python tests/bench/host_code.py [ROUNDS]

The text is made of the whole programs of the tests. It is read for the first time, and again as
while someone types. The goal for each is a tenth of the time that the lexer of Pygments takes for
the same text; the best of the rounds counts, as others may use the machine.
"""

import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from pygments.lexers import CppLexer  # noqa: E402

from jitstudio.listing.cuda import host_code  # noqa: E402

GOAL = 0.1
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


def lexed(text: bytes) -> float:
    """The milliseconds of a processor that Pygments takes."""
    began = time.process_time()
    assert sum(1 for _ in CppLexer().get_tokens(text.decode()))
    return (time.process_time() - began) * 1000


def main(rounds: int) -> int:
    """Prints the figures; returns 1 if a goal is missed."""
    text = dense_text()
    first, again = [], []
    for number in range(rounds):
        forget()
        first.append(taken(text))
        again.append(taken(text.replace(b"int main", b"int main_%d" % number, 1)))
    bare = min(lexed(text) for _ in range(3))
    print(f"{text.count(10):,} lines, {len(text):,} bytes; Pygments {bare:.1f} ms")
    print(f"for the first time {min(first):6.1f} ms\nagain              {min(again):6.1f} ms")
    ratio = max(min(first), min(again)) / bare
    print(f"of Pygments' time  {ratio:6.3f}    (goal: at most {GOAL})")
    return ratio > GOAL


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 30))
