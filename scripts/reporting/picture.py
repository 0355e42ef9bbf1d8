"""Resources that change, by area, as a small SVG: a bar per area, its parts by operation."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from scripts.reporting.areas import Area
from scripts.reporting.changes import OPS

COLOURS = {"create": "#2da44e", "update": "#bf8700", "replace": "#bc4c00", "delete": "#cf222e", "import": "#0969da"}
ROW, BAR, LEFT, WIDTH = 26, 16, 96, 560
LEAST = 3
"""Pixels, so that one resource beside hundreds is still seen."""


def picture(areas: Sequence[Area], title: str) -> str:
    """The SVG; readable on a light and on a dark page, and by a screen reader."""
    height = ROW * (len(areas) + 1) + 12
    most = max((area.total for area in areas), default=1)
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif" font-size="13">',
        f"<title>{escape(title)}: {escape('; '.join(_said(area) for area in areas) or 'nothing changes')}</title>",
        f'<rect width="{WIDTH}" height="{height}" rx="6" fill="#ffffff"/>',
    ]
    for at, area in enumerate(areas):
        top, left = at * ROW + 8, float(LEFT)
        middle = top + BAR - 3
        parts.append(f'<text x="{LEFT - 8}" y="{middle}" text-anchor="end" fill="#1f2328">{escape(area.name)}</text>')
        for op in OPS:
            if count := area.counts.get(op, 0):
                width = max(LEAST, round(count / most * (WIDTH - LEFT - 170), 1))
                parts.append(f'<rect x="{left:g}" y="{top}" width="{width:g}" height="{BAR}" fill="{COLOURS[op]}"/>')
                left += width
        parts.append(f'<text x="{left + 6:g}" y="{middle}" fill="#1f2328">{escape(_counts(area))}</text>')
    left = float(LEFT)
    for op in OPS:
        if any(area.counts.get(op) for area in areas):
            top = len(areas) * ROW + 12
            parts.append(f'<rect x="{left:g}" y="{top}" width="10" height="10" fill="{COLOURS[op]}"/>')
            parts.append(f'<text x="{left + 14:g}" y="{top + 10}" fill="#59636e">{op}</text>')
            left += 80
    return "\n".join([*parts, "</svg>", ""])


def _counts(area: Area) -> str:
    return ", ".join(f"{area.counts[op]} {op}" for op in OPS if area.counts.get(op))


def _said(area: Area) -> str:
    return f"{area.name} {_counts(area)}"
