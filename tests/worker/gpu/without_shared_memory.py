"""The worker program of launches, without leave for /dev/shm."""

from jitstudio.worker.children import launch
from jitstudio.worker.sandbox import system_paths


def main(memory_limit):
    system_paths.SHARED_MEMORY = ()
    launch.main(memory_limit)
