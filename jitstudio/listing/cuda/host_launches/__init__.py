"""How host code names and launches its kernels.

Two readers: `instances` on the text, for NVRTC, and `program` on the syntax tree, for forms.

| Module | What it knows |
| --- | --- |
| `macros` | Macros by which host code launches, put in the place of their calls; for both readers |
| `brackets` | Lists in brackets of a text; for both |
| `templates` | What template parameters represent; for both |
| `instances` | The instances of kernel templates that host code names |
| `mentions`, `levels` | Where functions name templates, and of which templates they are made |
| `program` | How host code launches its kernels, found by following it with numbers |
| `called_headers` | Which headers are read with a text |
| `declared` | What texts declare |
| `values`, `assumed` | What is known of variables, and what is taken where nobody knows |
| `expressions`, `variables` | What expressions and variables come to |
| `call_results`, `calls` | What expressions need of calls, and the functions gone through |
| `named` | The functions that expressions name |
| `bodiless` | Functions whose body nobody sees |
| `runtime`, `symbols` | Calls of CUDA's runtime, and copies to module variables |
| `aliases`, `namespace_aliases` | References and pointers; short names of namespaces |
| `packs`, `generic_lambdas` | Parameter packs, and the types of parameters of lambdas |
| `jumps`, `rounds` | Where code goes on elsewhere, and how often a loop goes round |
| `integers` | Types of whole numbers |
| `library_names` | Names of the headers of C, C++ and CUDA |
| `nodes` | What the place of an expression says |
"""
