"""The instructions of PTX that the simulator carries out, a row each.

To add an instruction: a row, by `computes` where its result follows from its operands alone, by
`form` else; what it computes is in `simulator/arithmetic`. The row is its grammar: modifiers that
exclude each other stand in one group (`rn/rz`), those right behind the opcode in its name. What is
refused has a row in `absent.py` that says why. `tests/simulator/test_rows.py` fails on a row
without a case, `test_grammar.py` on one without a statement in `statements.txt`, and asks ptxas
about the statement's neighbours (`-m bench`: about 60,000). On a GPU of sm_90,
`python3 -m tests.simulator.on_gpu 0 10000` compares random programs, and `pytest -m gpu
tests/simulator` forms of instructions, launches and what these tests run. `python3 -m
tests.simulator.passes_on_gpu FILE` measures passes of shared memory with ncu, for
`h100_passes.json`; `python3 -m tests.simulator.traffic_on_gpu FILE` compares passes and sectors of
whole kernels with the simulator's.
"""
