"""Shows the kernels of the newest build that made any."""

from __future__ import annotations

from functools import partial

from jitstudio.core.code import CodeKind
from jitstudio.gui.context import Context
from jitstudio.gui.features.kernels.view import KernelsView


def install(context: Context) -> None:
    """Makes the pane "Kernels"."""
    state, shell = context.state, context.shell
    view = KernelsView()
    shell.layout.fill("kernels", view)
    outputs, show_kernel = state.outputs, context.navigator.show_kernel
    outputs.result_changed.connect(lambda _result: view.show_result(outputs.figures))
    view.kernel_activated.connect(partial(show_kernel, CodeKind.SASS))
    view.ptx_requested.connect(partial(show_kernel, CodeKind.PTX))
    shell.stale_marks.add(view.table, lambda: outputs.is_behind)
    shell.context_menus.add_to_tables(view)
