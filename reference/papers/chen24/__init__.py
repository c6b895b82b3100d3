"""Chen, Karthik, Chee, Tan: Fixed-Budget Differentially Private Best Arm Identification (ICLR 2024, arXiv 2401.09073).

log is natural: only so is lambda = 27.65 in Appendix B. Ties go to the lowest index. The claims are in `claims`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpbandits.reference.papers.chen24.algorithms.dp_bai import baseline, dp_bai, dp_bai_gauss, dp_bai_printed
from dpbandits.reference.papers.chen24.algorithms.early_stopping import EarlyStopping
from dpbandits.reference.papers.chen24.algorithms.od_linbai import dp_od, od_linbai

PRINTED: Callable[..., Any] = dp_bai_printed
REPAIRED: Callable[..., Any] = dp_bai

__all__ = [
    "PRINTED",
    "REPAIRED",
    "EarlyStopping",
    "baseline",
    "dp_bai",
    "dp_bai_gauss",
    "dp_bai_printed",
    "dp_od",
    "od_linbai",
]
