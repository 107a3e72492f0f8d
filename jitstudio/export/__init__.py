"""Builds and launches in forms that others run, read and check: a module for each kind of form."""
