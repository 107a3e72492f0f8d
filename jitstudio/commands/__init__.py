"""The commands: for each its options, frozen and checked, and a function that carries them out.

Command line, Python interface, language models and lessons stand on this and not on each other.
"""
