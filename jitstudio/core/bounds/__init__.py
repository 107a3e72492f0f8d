"""Limits on the bytes and folders of others in this process."""
