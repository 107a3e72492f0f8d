"""The words of PTX text, for all that read PTX.

To add a reader of PTX: on `scanner`, `tokens` or `skimming`, never by a pattern of its own over the
raw text, and a row of `READERS` in `tests/ptx/readers.py`: `tests/ptx` spells programs in all ways
that ptxas takes and compares the answers (`-m bench`: 1,700 spellings, 3,000 broken programs).
"""
