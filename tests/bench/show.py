"""How long a cubin of a megabyte takes from `jitstudio.show` until it is on screen.

    python tests/bench/show.py

Goals: its tab is there within half a second. Its SASS is there in 1.5 times what nvdisasm alone
takes in the same run, or within a second: it has to run for that.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import jitstudio  # noqa: E402
from jitstudio.core.code import CodeKind  # noqa: E402
from jitstudio.gui.window.application import make_application  # noqa: E402
from jitstudio.toolchain.locate import nvdisasm  # noqa: E402
from tests.gui.driver import Driver  # noqa: E402

KERNELS, ROUNDS = 28, 3
TAB_SECONDS, SASS_SECONDS, TIMES = 0.5, 1.0, 1.5
BODY = """extern "C" __global__ void k{n}(float *x)
{{
    float s = x[threadIdx.x];
    #pragma unroll
    for (int i = 0; i < 300; i++) s = s * x[i * {n} + threadIdx.x] + {n}.5f * i;
    x[threadIdx.x] = s;
}}
"""


def cubin(number: int) -> bytes:
    """A megabyte of machine code, of which no two are alike."""
    source = "".join(BODY.format(n=number * 100 + n) for n in range(KERNELS))
    made = jitstudio.build(source, arch="sm_90", emit=["cubin"]).cubin
    assert made is not None
    return made


def shown(driver: Driver, code: bytes, name: str) -> tuple[float, float]:
    """Seconds until the tab is there, and until its SASS is."""
    tab: list[float] = []
    before = driver.state.outputs.output(CodeKind.SASS).listings
    start = time.perf_counter()

    def show() -> None:
        jitstudio.show(code, name=name)
        tab.append(time.perf_counter() - start)

    threading.Thread(target=show).start()
    listings = lambda: driver.state.outputs.output(CodeKind.SASS).listings  # noqa: E731
    driver.wait(lambda: tab and listings() and listings() != before)
    return tab[0], time.perf_counter() - start


def bare(code: bytes, folder: Path) -> float:
    """Seconds that nvdisasm takes."""
    file = folder / "bare.cubin"
    file.write_bytes(code)
    start = time.perf_counter()
    subprocess.run([nvdisasm(), "-c", file], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> int:
    """Measure and print; 1 if a goal is missed."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name in ("CONFIG", "CACHE", "RUNTIME"):
            os.environ[f"JITSTUDIO_{name}_DIR"] = str(folder / name.lower())
        codes = [cubin(number) for number in range(ROUNDS)]
        driver = Driver(make_application(), folder)
        driver.start()
        driver.show_output("SASS")
        times = [(*shown(driver, c, f"n{n}"), bare(c, folder)) for n, c in enumerate(codes)]
        driver.close()
    tab, sass, alone = map(statistics.median, zip(*times, strict=True))
    print(f"a cubin of {len(codes[0]):,} bytes: tab {tab:.2f} s, SASS {sass:.2f} s")
    print(f"nvdisasm alone {alone:.2f} s, so {sass / alone:.2f} times that")
    return int(tab > TAB_SECONDS or sass > max(SASS_SECONDS, TIMES * alone))


if __name__ == "__main__":
    sys.exit(main())
