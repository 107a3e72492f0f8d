"""What the window takes only when it is needed, as its module takes long to import.

NumPy, pyqtgraph and the parser of CUDA C++ are behind these: a start of the window never pays for
them.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from jitstudio.core.deferred import at_place


class Late(Enum):
    """Functions and classes by their place, a module and a name in it."""

    OPEN_BUFFERS = "jitstudio.gui.features.launch.models.buffer_data:open_all"
    STATISTICS = "jitstudio.gui.features.launch.models.buffer_figures:statistics"
    CURVE = "jitstudio.gui.features.launch.models.buffer_figures:curve"
    PICTURE = "jitstudio.gui.features.launch.models.buffer_image:picture"
    SAVE_NPY = "jitstudio.gui.features.launch.models.buffer_files:save_npy"
    SAVE_CSV = "jitstudio.gui.features.launch.models.buffer_files:save_csv"
    BUFFER_CANVAS = "jitstudio.gui.features.launch.results.buffer_plot_canvas:BufferCanvas"
    IMAGE_CANVAS = "jitstudio.gui.features.launch.results.buffer_image_canvas:ImageCanvas"
    TIMING_PLOTS = "jitstudio.gui.features.launch.results.timing_plots:TimingPlots"
    TIMES_PLOT = "jitstudio.gui.features.variants.plot:TimesPlot"
    OCCUPANCY_PLOTS = "jitstudio.gui.features.report.occupancy_plots:OccupancyPlots"
    MIX_PLOTS = "jitstudio.gui.features.report.mix_plots:MixPlots"
    FURNISHING = "jitstudio.gui.window.window_builder:WindowBuilder"
    FIND_BAR = "jitstudio.gui.code.find_bar:FindBar"
    READ_ONLY_PAGE = "jitstudio.gui.editor.read_only_page:ReadOnlyPage"
    COMPLETION_POPUP = "jitstudio.gui.editor.completion.popup:CompletionPopup"
    OFFERS = "jitstudio.gui.editor.completion.words:Offers"
    ABOUT_DIALOG = "jitstudio.gui.features.help.about_dialog:AboutDialog"
    HELP_WINDOW = "jitstudio.gui.features.help.window:HelpWindow"
    SETTINGS_DIALOG = "jitstudio.gui.features.settings.dialog:SettingsDialog"
    VERSIONS = "jitstudio.gui.features.help.versions:versions"
    VOCABULARY = "jitstudio.listing.vocabulary:vocabulary"
    IDENTIFIERS = "jitstudio.listing.identifiers:identifiers"
    TYPED_NAME = "jitstudio.listing.identifiers:typed_name"
    FOLDS = "jitstudio.listing.folds:folds"
    SYMBOLS = "jitstudio.listing.find_symbols:symbols"
    DEFINITIONS = "jitstudio.gui.features.editing.definition_search:find"
    RENAMING = "jitstudio.listing.scopes.renaming:renaming"
    KERNEL_FORMS = "jitstudio.listing.kernels:kernel_forms"
    VARIANT_RUN = "jitstudio.variants.engine:VariantRun"
    LOCAL_SITES = "jitstudio.variants.sites:local"
    TIMING_SITES = "jitstudio.variants.sites:timing"

    def get(self) -> Any:
        """The function or the class; call it in the background first."""
        return at_place(self.value)
