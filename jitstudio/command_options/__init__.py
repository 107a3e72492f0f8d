"""The options of commands: fields with checks, and with the words of the command line."""
