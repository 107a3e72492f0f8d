"""As `sealed`, but with NumPy, whose OpenBLAS has threads of its own."""

import os

import numpy as np

from jitstudio.numerics.evaluation import use_all_cores as use_all_cores
from tests.worker import sealed

BEFORE = len(os.listdir("/proc/self/task"))
SQUARE = np.ones((600, 600))
PRODUCT = SQUARE @ SQUARE

main = sealed.main
