"""CUDA C++ read as text and as a syntax tree; `host_launches` is how host code launches kernels.

| Module | What it knows |
| --- | --- |
| `outline` | The declarations of a text, by brackets and directives alone |
| `heads` | The parts of a declaration's head |
| `words`, `spans` | Which words a text has, and its parts by where they are |
| `host_code` | The parts of a text for the host only, which are set aside |
| `host_macros`, `device_facts`, `device_marks`, `candidates` | What `host_code` judges by |
| `host_syntax` | Mistakes in the syntax of host code |
| `syntax` | The syntax tree, and questions to its nodes |
| `declarations`, `types` | Types, numbers and kernels that a text declares, and their layout |
| `prototypes`, `include_guards` | Declarations that differ between modules |
| `math_calls`, `runtime_functions` | Calls of the math library, and names of CUDA's runtime |
"""
