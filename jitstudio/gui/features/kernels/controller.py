"""Shows the kernels of the newest build with kernels, and the resources of each."""

from __future__ import annotations

from jitstudio.core.code import CodeKind
from jitstudio.gui.context import Context
from jitstudio.gui.features.kernels.view import KernelsView
from jitstudio.gui.shell.navigation import KernelPlace


def install(context: Context) -> None:
    """Makes the pane "Kernels"."""
    state, shell = context.state, context.shell
    view = KernelsView()
    shell.layout.fill("kernels", view)
    outputs, go_to = state.outputs, context.navigator.go_to
    outputs.result_changed.connect(lambda _result: view.show_result(outputs.shown_result))
    view.kernel_activated.connect(lambda kernel: go_to(KernelPlace(CodeKind.SASS, kernel)))
    view.ptx_requested.connect(lambda kernel: go_to(KernelPlace(CodeKind.PTX, kernel)))
    shell.stale_marks.add(view.table, lambda: outputs.is_behind)
    shell.context_menus.add_to_tables(view)
