"""Heavy-tailed arms: the Pareto arms of Section 6; the instances of Theorems 5, 8, 9, 10 and 11 are two-point arms."""

from __future__ import annotations

from dpbandits.reference.bandits.heavy_tails import Pareto, TwoPoint

__all__ = ["S_1", "S_2", "S_3", "Pareto", "TwoPoint", "section_6"]


def section_6(means: tuple[float, ...], v: float) -> Pareto:
    """Pareto arms with these means and the shape 1.05 + v; u is `moment(1 + v)`."""
    shape = 1.05 + v
    return Pareto(shape, tuple((shape - 1) * mean / shape for mean in means))


S_1 = (0.9, 0.7, 0.5, 0.3, 0.1)
S_2 = (0.9, 0.55, 0.3, 0.15, 0.1)
S_3 = (0.9, 0.85, 0.7, 0.45, 0.1)
