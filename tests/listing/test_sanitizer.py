from jitstudio.core.launch.result import SanitizerFinding
from jitstudio.worker.compute_sanitizer import findings

# As compute-sanitizer 13.0 writes them; most frames of the host are left out.
MEMCHECK = """\
========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at wild+0x60 in k.cu:6
=========     by thread (0,0,0) in block (0,0,0)
=========     Access to 0x48ea800000 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x48ea400000 of size 4,194,304 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame:  [0x4cd39] in cydriver.cpython-312-x86_64-linux-gnu.so
=========         Host Frame: start in launching.py:61
=========
========= Invalid __global__ write of size 4 bytes
=========     at wild+0x60 in k.cu:6
=========     by thread (1,0,0) in block (0,0,0)
=========     Access to 0x48ea800004 is out of bounds
=========     and is 5 bytes after the nearest allocation at 0x48ea400000 of size 4,194,304 bytes
=========
========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) on CUDA API call to cuStreamSynchronize.
=========     Saved host backtrace up to driver entry point at error
=========
========= ERROR SUMMARY: 3 errors
"""
OTHER_PROCESS = """\
========= COMPUTE-SANITIZER
========= Error: Target application terminated before first instrumented API call
"""
CLEAN = """\
========= COMPUTE-SANITIZER
========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)
"""


def test_the_same_place_is_told_once_with_its_line():
    (finding,) = findings(MEMCHECK)
    assert finding == SanitizerFinding(
        "Invalid __global__ write of size 4 bytes, by thread (0,0,0) in block (0,0,0), "
        "Access to 0x48ea800000 is out of bounds, "
        "and is 1 bytes after the nearest allocation at 0x48ea400000 of size 4,194,304 bytes",
        "wild",
        "k.cu",
        6,
        2,
    )


def test_a_clean_run_and_other_processes_are_no_findings():
    assert findings(CLEAN + OTHER_PROCESS) == ()


def test_a_kernel_without_a_line_table_has_no_place():
    log = MEMCHECK.replace(" in k.cu:6", "")
    (finding,) = findings(log)
    assert (finding.kernel, finding.file, finding.line) == ("wild", "", None)


def test_any_text_is_read():
    for end in range(len(MEMCHECK)):
        findings(MEMCHECK[:end])
    assert findings("") == findings("nothing of this kind") == ()
