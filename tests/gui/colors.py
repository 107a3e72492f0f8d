"""How far apart two colours are, for whoever sees them, and on whatever they are seen."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QColor

# sRGB to XYZ under D65: IEC 61966-2-1.
_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = _TO_XYZ @ np.ones(3)
# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
# Deficiency", IEEE TVCG 15 (2009), at full severity; they work on linear light.
SIGHTS = {
    "everybody": np.eye(3),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
}


def light(color: QColor) -> np.ndarray:
    """Red, green and blue as linear light, from 0 to 1."""
    parts = np.array([color.redF(), color.greenF(), color.blueF()])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def luminance(color: QColor) -> float:
    """The relative luminance of WCAG 2."""
    return float(_TO_XYZ[1] @ light(color))


def contrast(one: QColor, other: QColor) -> float:
    """The contrast of WCAG 2, from 1 to 21."""
    dark, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


def lab(color: QColor, sight: str = "everybody") -> np.ndarray:
    """The colour in CIELAB, as somebody with this sight sees it."""
    seen = np.clip(SIGHTS[sight] @ light(color), 0, 1)
    share = (_TO_XYZ @ seen) / _WHITE
    x, y, z = np.where(share > (6 / 29) ** 3, np.cbrt(share), share / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """CIEDE2000 of two colours in CIELAB: 1 can just be seen.

    Sharma, Wu and Dalal, "The CIEDE2000 Color-Difference Formula", Color Res. Appl. 30 (2005).
    """
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    factor = 1.5 - 0.5 * np.sqrt(mean**7 / (mean**7 + 25**7))
    c1, c2 = np.hypot(factor * a1, b1), np.hypot(factor * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, factor * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    hue = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    t = (
        1
        - 0.17 * np.cos(np.radians(hue - 30))
        + 0.24 * np.cos(np.radians(2 * hue))
        + 0.32 * np.cos(np.radians(3 * hue + 6))
        - 0.20 * np.cos(np.radians(4 * hue - 63))
    )
    by_lightness = 0.015 * (lightness - 50) ** 2 / np.sqrt(20 + (lightness - 50) ** 2)
    dl = (l2 - l1) / (1 + by_lightness)
    dc = (c2 - c1) / (1 + 0.045 * chroma)
    dh = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * t)
    rotation = -2 * np.sqrt(chroma**7 / (chroma**7 + 25**7))
    rotation *= np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2))))
    return float(np.sqrt(dl**2 + dc**2 + dh**2 + rotation * dc * dh))
