"""The requests that each child answers, with checks on the answers.

To add a request to a worker process, or what it may say to one: a row here, with a `check` where a
value of the right type could still lead the window astray. A test makes values of all types that
cross.
"""
