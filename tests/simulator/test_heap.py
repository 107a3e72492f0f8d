"""Device code gets memory by malloc and new, and what it must not do with it is told."""

import numpy as np
import pytest

from jitstudio.simulator.observers.races import RaceDetector
from jitstudio.simulator.running.machine import Machine
from jitstudio.simulator.state.heap import HEAP_BYTES, Heap
from jitstudio.simulator.state.memory import global_arena
from jitstudio.simulator.state.model import FaultKind
from jitstudio.simulator.stepping.history import StepHistory
from tests.simulator.running import launch_of, program_of, ptx_of, run

KERNELS = r"""
#define KERNEL(name) extern "C" __global__ void name(int* a)
#define I (blockIdx.x * blockDim.x + threadIdx.x)
KERNEL(lists) {
  struct Node { int value; Node* next; };
  Node* head = nullptr;
  for (int k = 0; k < a[I] % 5; k++) head = new Node{k * a[I], head};
  int sum = 0;
  while (head) { Node* next = head->next; sum += head->value; delete head; head = next; }
  a[I] = sum;
}
KERNEL(arrays) {
  int n = a[I];
  short* own = (short*)malloc(n * 2 + 2);
  for (int k = 0; k <= n; k++) own[k] = k;
  a[I] = own[n / 2] + own[n];
  free(own);
}
KERNEL(shared_block) {
  __shared__ int* all;
  if (threadIdx.x == 0) all = new int[blockDim.x];
  __syncthreads();
  all[threadIdx.x] = a[I];
  __syncthreads();
  a[I] = all[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) delete[] all;
}
KERNEL(many) {
  for (int k = 0; k < 40; k++) {
    int* own = (int*)malloc(4096);
    if (!own) { a[I] = -1; return; }
    own[threadIdx.x] = k; a[I] += own[threadIdx.x];
    free(own);
  }
}
KERNEL(too_much) { a[I] = malloc(a[I] * 1000000ull) ? 1 : 0; }
KERNEL(behind_the_end) { int* own = (int*)malloc(40); own[a[I]] = 1; }
KERNEL(unwritten) { int* own = (int*)malloc(40); a[I] = own[3]; }
KERNEL(after_free) {
  int* volatile kept = new int(7);
  delete kept;
  a[I] = *kept;
}
KERNEL(twice) { void* volatile own = malloc(8); free(own); free(own); free(0); }
KERNEL(not_given) { free(a + I); }
"""

pytestmark = pytest.mark.tools


@pytest.fixture(scope="module")
def kernels(tools):
    return ptx_of(tools, KERNELS)


def ran(kernels, kernel, data, blocks=1):
    return run(
        kernels, kernel, (blocks, 1, 1), (64, 1, 1), np.array(data, np.int32),
        observers=(RaceDetector(kernel),), finishes=False,
    )  # fmt: skip


def results(kernels, kernel, data, blocks=1):
    done = ran(kernels, kernel, data, blocks)
    assert (done.result.message, done.result.faults, done.result.races) == ("", (), ())
    return done.arrays[0].tolist()


def test_blocks_of_the_heap(kernels):
    data = range(64)
    assert results(kernels, "lists", data) == [i * sum(range(i % 5)) for i in data]
    assert results(kernels, "arrays", data) == [i // 2 + i for i in data]
    assert results(kernels, "shared_block", range(128), 2) == [
        *range(63, -1, -1),
        *range(127, 63, -1),
    ]


def test_freed_blocks_are_used_again_when_there_are_no_others(kernels):
    assert HEAP_BYTES < 40 * 128 * 4096
    assert results(kernels, "many", [0] * 128, 2) == [sum(range(40))] * 128


def test_a_full_heap_gives_null(kernels):
    assert results(kernels, "too_much", [1] * 8 + [9] + [1] * 55) == [1] * 8 + [0] * 56


def test_a_full_heap_gives_the_first_gap_that_is_large_enough():
    """Against a search of all places, and against a heap put back to the same state."""
    arena = global_arena([], [], 2048)[0]
    heap, again = Heap(arena), Heap(arena)
    random = np.random.default_rng(0)
    cells = np.zeros(2048 // 16, np.bool_)
    held = [(16 * at, 4) for at in range(0, len(cells), 4)]
    base = heap.allocate([48] * len(held), "")[0][0]
    cells[:] = True
    for _ in range(400):
        if held and random.random() < 0.5:
            at, count = held.pop(random.integers(len(held)))
            assert heap.free([base + at]) == [""]
            cells[at // 16 : at // 16 + count] = False
        size = int(random.integers(1, 200))
        count = -(-size // 16) + 1
        places = [at for at in range(len(cells) - count + 1) if not cells[at : at + count].any()]
        again.restore(heap.state())
        wanted = base + 16 * places[0] if places else 0
        assert heap.allocate([size], "")[0] == again.allocate([size], "")[0] == [wanted]
        if places:
            held.append((16 * places[0], count))
            cells[places[0] : places[0] + count] = True


@pytest.mark.parametrize(
    ("kernel", "kind", "words"),
    [
        ("behind_the_end", FaultKind.OUT_OF_BOUNDS,
         "directly past the end of a block of the heap from kernel.cu:"),
        ("after_free", FaultKind.OUT_OF_BOUNDS, "(4 bytes) that was freed"),
        ("unwritten", FaultKind.NEVER_WRITTEN, "that nobody has written"),
        ("twice", FaultKind.FREE, "which was freed before"),
        ("not_given", FaultKind.FREE, "which is none that malloc has given"),
    ],
)  # fmt: skip
def test_what_must_not_be_done_with_the_heap(kernels, kernel, kind, words):
    (fault,) = ran(kernels, kernel, [10] * 64).result.faults
    assert (fault.kind, fault.count) == (kind, 64)
    assert words in fault.message


def test_the_heap_when_stepping_back(kernels):
    launch = launch_of("lists", (1, 1, 1), (64, 1, 1), [np.arange(64, dtype=np.int32)])
    history = StepHistory(lambda: Machine(launch, program_of(kernels)), interval=0)
    history.go_to(1 << 20)
    last = history.machine.image.global_arena.data.copy()
    for step in range(0, history.last_step, history.last_step // 5):
        history.go_to(step)
        history.go_to(1 << 20)
        assert (history.machine.image.global_arena.data == last).all()
    assert history.end is None


def test_what_is_never_freed_is_named_by_its_line(kernels):
    line = KERNELS[: KERNELS.index("KERNEL(unwritten)")].count("\n") + 1
    (left,) = ran(kernels, "unwritten", [0] * 64).result.heap_left
    assert f"from kernel.cu:{line} " in left
    assert "64 blocks of the heap" in left
    assert "2,560 bytes" in left
    assert ran(kernels, "lists", range(64)).result.heap_left == ()
