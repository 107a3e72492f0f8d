"""jitstudio: see what NVIDIA's compilers make of CUDA C++, LLVM IR and PTX."""

__version__ = "0.3.0"
