"""The kernels of a build, ready to be filled in.

| Module | What it knows |
| --- | --- |
| `forms` | Kernels with their parameters, by their source and the built code |
| `declared`, `captured` | Kernels that sources declare, and captured ones |
| `parameters` | Parameters of source and PTX as one |
| `instance_launches` | Which launch of the host code is of which instance of a template |
| `host_needs` | What the hosts of kernels have to prepare for |
| `module_variables` | Variables outside of functions, and what kernels do with them |
"""
