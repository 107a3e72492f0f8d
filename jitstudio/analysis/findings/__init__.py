"""The findings of the report: what may cost time in machine code.

To add a finding: a rule here, its words in `resources/analysis/findings.toml` (those of C++ also
for authors of PTX and LLVM IR), and in one of `tests/analysis/findings/*kernels.cu` a kernel that
has it and one that only nearly has it.
"""
