"""Lexers of the languages on the way from CUDA C++ to SASS, for Pygments and for editors."""
