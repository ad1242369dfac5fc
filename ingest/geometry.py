"""Displayed coordinates: PDF user space mapped through the crop box and the page's rotation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rect:
    """x0, y0, x1, y1 in points, origin at the displayed page's top left."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """Points from left to right."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Points from top to bottom."""
        return self.y1 - self.y0

    @property
    def area(self) -> float:
        """Square points."""
        return self.width * self.height

    def union(self, other: Rect) -> Rect:
        """The smallest rectangle around both."""
        return Rect(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))

    def shared_area(self, other: Rect) -> float:
        """Square points that lie in both."""
        across = min(self.x1, other.x1) - max(self.x0, other.x0)
        down = min(self.y1, other.y1) - max(self.y0, other.y0)
        return max(0.0, across) * max(0.0, down)

    def grown(self, by: float) -> Rect:
        """The same rectangle, larger by so many points on every side."""
        return Rect(self.x0 - by, self.y0 - by, self.x1 + by, self.y1 + by)

    def meets(self, other: Rect) -> bool:
        """Whether the two share a point."""
        return self.x0 <= other.x1 and other.x0 <= self.x1 and self.y0 <= other.y1 and other.y0 <= self.y1

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies inside."""
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1


def around(rects: list[Rect]) -> Rect:
    """The smallest rectangle around all; the list is not empty."""
    return Rect(
        min(rect.x0 for rect in rects),
        min(rect.y0 for rect in rects),
        max(rect.x1 for rect in rects),
        max(rect.y1 for rect in rects),
    )


@dataclass(frozen=True, slots=True)
class PageSpace:
    """An affine map from user space to the displayed page: x' = a x + b y + c, y' = d x + e y + f."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float
    width: float
    height: float

    @classmethod
    def of_page(cls, left: float, bottom: float, right: float, top: float, quarter_turns: int) -> PageSpace:
        """From the visible box in user space and the clockwise rotation in quarter turns."""
        across, up = right - left, top - bottom
        match quarter_turns % 4:
            case 1:
                return cls(0, 1, -bottom, 1, 0, -left, up, across)
            case 2:
                return cls(-1, 0, right, 0, 1, -bottom, across, up)
            case 3:
                return cls(0, -1, top, -1, 0, right, up, across)
            case _:
                return cls(1, 0, -left, 0, -1, top, across, up)

    def point(self, x: float, y: float) -> tuple[float, float]:
        """A point of user space on the displayed page."""
        return (self.a * x + self.b * y + self.c, self.d * x + self.e * y + self.f)

    def direction(self, x: float, y: float) -> tuple[float, float]:
        """A vector of user space on the displayed page (y grows downwards)."""
        return (self.a * x + self.b * y, self.d * x + self.e * y)

    def rect(self, left: float, bottom: float, right: float, top: float) -> Rect:
        """A box of user space on the displayed page."""
        x0, y0 = self.point(left, bottom)
        x1, y1 = self.point(right, top)
        return Rect(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
