"""The options of the tools, a row each.

To add an option: a row here. Its `effect` says what it does besides changing the result: whether it
includes, reads or writes a file, or may load code; a `harmless` pattern says with which values it
does none of that. By it `core/options/safety.py` decides what a project may send that nobody
trusts. A test sends every row through the real tools, and fails on a file that a row without
`OptionEffect.WRITES` leaves.
"""
