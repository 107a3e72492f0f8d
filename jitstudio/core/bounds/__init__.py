"""Bounds what bytes and folders of others may become in this process."""
