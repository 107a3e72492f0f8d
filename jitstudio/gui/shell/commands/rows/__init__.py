"""The commands of the window, a row each.

To add a command: a row here. The feature that carries it out binds it, and says by `Actions.know`
whether it has anything to do where the cursor is, if context menus offer it
(`gui/shell/context_menus.py`). What an editor does by a key of `gui/editor/keys.py` is a row with
`Where.EDITOR`, which needs no more. Keys that are no command's have a row in
`gui/features/help/shortcuts.py`. A test finds commands that nobody carries out, and keys that
collide.
"""
