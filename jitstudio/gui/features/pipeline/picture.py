"""The picture of a build as a file or an image, without the ring of the keyboard."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QCoreApplication, QRectF
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsItem

from jitstudio.gui.features.pipeline.graph import Pipeline
from jitstudio.gui.features.pipeline.scene import PipelineScene
from jitstudio.gui.kit.theme import Theme

_SCALE = 2


class PictureError(RuntimeError):
    """The picture cannot be written; the message is fit for a person."""


def save_picture(pipeline: Pipeline, theme: Theme, path: Path) -> None:
    """Write a picture to a file: SVG, or PNG where the name says so.

    Raises:
        PictureError: The file cannot be written.
    """
    png = path.suffix.lower() == ".png"
    content = _png(pipeline, theme) if png else _svg(pipeline, theme)
    try:
        path.write_bytes(content)
    except OSError as error:
        text = QCoreApplication.translate(
            "Picture", "'{path}' cannot be written: {problem}. Choose another folder."
        )
        raise PictureError(text.format(path=path, problem=error.strerror)) from error


def image_of(pipeline: Pipeline, theme: Theme) -> QImage:
    """A picture with two pixels for each unit."""
    scene = _scene(pipeline, theme)
    image = QImage(scene.sceneRect().size().toSize() * _SCALE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    scene.render(painter)
    painter.end()
    return image


def _png(pipeline: Pipeline, theme: Theme) -> bytes:
    buffer = QBuffer()
    QImageWriter(buffer, b"png").write(image_of(pipeline, theme))
    return bytes(buffer.data().data())


def _svg(pipeline: Pipeline, theme: Theme) -> bytes:
    scene = _scene(pipeline, theme)
    size = scene.sceneRect().size().toSize()
    whole = QRectF(0, 0, size.width(), size.height())
    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(whole)
    # Else letters would be drawn for another resolution than the frames around them.
    generator.setResolution(round(QGuiApplication.primaryScreen().logicalDotsPerInch()))
    painter = QPainter(generator)
    scene.render(painter, whole)
    painter.end()
    return bytes(buffer.data().data())


def _scene(pipeline: Pipeline, theme: Theme) -> PipelineScene:
    """All of it drawn anew: what items keep for the screen is made of pixels."""
    scene = PipelineScene(theme)
    scene.show_pipeline(pipeline)
    scene.setBackgroundBrush(theme.ui.base)
    for item in scene.items():
        item.setCacheMode(QGraphicsItem.CacheMode.NoCache)
    return scene
