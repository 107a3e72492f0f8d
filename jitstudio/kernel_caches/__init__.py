"""Reads the kernels that compilers and Python packages keep on the disk; nothing of it is run."""
