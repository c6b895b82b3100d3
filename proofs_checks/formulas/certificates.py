"""Writes certificates of refuted formulas and mechanisms, with enclosures for the independent checker."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor, frexp, ldexp
from typing import Any

import numpy as np

from dpbandits.proofs_checks.formulas.integer_operands import with_integer_operands
from dpbandits.proofs_checks.vocabularies.decimals import exact_as_printed, exact_text
from dpbandits.proofs_checks.vocabularies.exact_points import as_interval, rational_vocabulary
from dpbandits.proofs_checks.vocabularies.expressions import Term, text
from dpbandits.proofs_checks.vocabularies.intervals import Interval, iv
from dpbandits.proofs_checks.vocabularies.rounded_doubles import ncdf_ends
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.vocabulary import Number
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.claims.model import Claim, Identity, Inequality

Certificate = dict[str, Any]  # its fields as JSON: certificate.schema.json says which there are
RIEMANN_CELLS = 20_000  # of the Riemann sums that enclose an integral
INTEGRAL_END_BITS = 32  # of its ends: two units of the last one, 5e-10, are little beside what the sums are off by


def formula_certificate(
    claim: Claim,
    point: Mapping[str, object],
    fixed: Mapping[str, object] | None = None,
    counts: Collection[str] = (),
) -> Certificate:
    """A certificate that an Inequality or Identity is violated at this point.
    fixed: variables that the expressions do not contain, with those named in `counts` as integers for counting."""
    says = claim.says
    if not isinstance(says, Inequality | Identity):
        raise TypeError(
            f"claim {claim.id}: only an Inequality or Identity can be refuted by a point, not {type(says).__name__}"
        )
    kept = fixed or {}
    terms: dict[str, Number] = {name: text.variable(name) for name in point} | with_integer_operands(text, kept, counts)
    values: dict[str, Number] = {
        name: rational_vocabulary.number(exact_as_printed(value)) for name, value in point.items()
    }
    values |= with_integer_operands(rational_vocabulary, kept, counts)
    left, right = text.source(says.left(text, **terms)), text.source(says.right(text, **terms))
    given = [[text.source(p(text, **terms)), text.source(q(text, **terms))] for p, q in says.given]
    used = names_in([left, right, *(side for pair in given for side in pair)])
    return {
        "type": "formula",
        "claim": claim.id,
        "relation": says.sign,
        "left": left,
        "right": right,
        "within": exact_text(says.within),
        "given": given,
        "variables": {name: exact_text(value) for name, value in point.items() if name in used},
        "left_enclosure": iv.enclosure(as_interval(says.left(rational_vocabulary, **values))),
        "right_enclosure": iv.enclosure(as_interval(says.right(rational_vocabulary, **values))),
    }


def names_in(sources: Iterable[str]) -> set[str]:
    """The names of variables and functions in these expressions."""
    nodes = (node for source in sources for node in ast.walk(ast.parse(source, mode="eval")))
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def formula_expression(value: object) -> str:
    """A number or term as source text that the checker can evaluate."""
    if isinstance(value, Term):
        return value.source
    return value if isinstance(value, str) else text.source(exact_as_printed(value))


def guarantee_as_data(eps: object, delta: object, variables: Mapping[str, object] | None) -> Certificate:
    """The violated guarantee (eps, delta and their variables) as privacy certificates store it."""
    numbers = {name: exact_text(value) for name, value in (variables or {}).items()}
    return {"eps": formula_expression(eps), "delta": formula_expression(delta), "variables": numbers}


def step_certificate(
    claim: str,
    noise: str,
    scales: Sequence[object],
    left: Sequence[object],
    right: Sequence[object],
    sensitivities: Sequence[object],
    event: Sequence[int],
    eps: object,
    delta: object,
    changed: str = "one",
    variables: Mapping[str, object] | None = None,
) -> Certificate:
    """A certificate that a noisy maximum violates (eps, delta)-DP.
    P_left(winner in event) > e^eps P_right(winner in event) + delta.

    noise: "gaussian" (scales are standard deviations) or "laplace". changed: how many queries may move between
    neighbours, "one" or "all", each by its sensitivity. claim: the claim's id.
    """
    exact = [[Fraction(exact_as_printed(value)) for value in values] for values in (left, right, scales)]
    return {
        "type": "step",
        "claim": claim,
        "noise": noise,
        "scales": [exact_text(value) for value in scales],
        "left": [exact_text(value) for value in left],
        "right": [exact_text(value) for value in right],
        "sensitivities": [exact_text(value) for value in sensitivities],
        "changed": changed,
        "event": [int(option) for option in event],
        **guarantee_as_data(eps, delta, variables),
        "left_probability": iv.enclosure(event_probability(noise, exact[0], exact[2], event)),
        "right_probability": iv.enclosure(event_probability(noise, exact[1], exact[2], event)),
    }


def event_probability(noise: str, means: list[Fraction], scales: list[Fraction], event: Sequence[int]) -> Interval:
    """An enclosure of the probability that the winner of a noisy maximum is one of the event's options."""
    if len(event) in (0, len(means)):
        return iv.number(1 if event else 0)
    if len(means) == 2:
        return probability_of_two_options(noise, means, scales, int(event[0]))
    total = iv.number(0)
    for option in event:
        total = total + probability_of_many_options(noise, means, scales, int(option))
    return total


def probability_of_two_options(noise: str, means: list[Fraction], scales: list[Fraction], option: int) -> Interval:
    """An enclosure of the probability that `option` wins among two options.
    One value of Phi, or the law of the difference of two Laplace variables."""
    lead = means[option] - means[1 - option]
    if noise == "gaussian":
        return iv.ncdf(lead / iv.sqrt(scales[0] ** 2 + scales[1] ** 2))
    # The density of A - B is a mixture: for a != b, (a e^(-|t|/a) - b e^(-|t|/b))/(2(a^2 - b^2)).
    a, b = scales
    size = abs(lead)
    if a == b:
        behind = iv.exp(-size / a) * (Fraction(1, 2) + size / (4 * a))
    else:
        behind = (a * a * iv.exp(-size / a) - b * b * iv.exp(-size / b)) / (2 * (a * a - b * b))
    return behind if lead < 0 else 1 - behind


def probability_of_many_options(
    noise: str, means: list[Fraction], scales: list[Fraction], option: int, cells: int = RIEMANN_CELLS
) -> Interval:
    """An enclosure of the probability that `option` wins.
    It is the integral of prod_j F((m_i - m_j + s_i x)/s_j) dF(x), whose integrand increases, so it lies between the
    lower and the upper Riemann-Stieltjes sum; both are computed in doubles with every rounding counted."""
    reach = 38.0 if noise == "gaussian" else 700.0
    grid = np.linspace(-1, 1, cells + 1)
    grid = reach * np.sign(grid) * np.abs(grid) ** 2  # finer near 0
    low, high = distribution_bounds(noise, grid, grid)
    product_low, product_high = np.ones_like(grid), np.ones_like(grid)
    for j in range(len(means)):
        if j == option:
            continue
        lead, ratio = (means[option] - means[j]) / scales[j], scales[option] / scales[j]
        # x ratio + lead in doubles, within 4 units in the last place of its larger part
        near = grid * float(ratio) + float(lead)
        slack = 4 * 2.0**-52 * (np.abs(grid * float(ratio)) + abs(float(lead))) + 1e-300
        p, q = distribution_bounds(noise, near - slack, near + slack)
        product_low, product_high = product_low * p, product_high * q
    mass_low, mass_high = np.maximum(low[1:] - high[:-1], 0), high[1:] - low[:-1]
    rounding = 1e-10  # RIEMANN_CELLS + a few factors, each at most 2^-52 relative: < 1e-11
    least = float((mass_low * product_low[:-1]).sum()) * (1 - rounding)
    most = float((mass_high * product_high[1:]).sum()) * (1 + rounding)
    most += float(high[0] * product_high[0] + (1 - low[-1])) * (1 + rounding)
    return iv.between(max(shorten_to_bits(least, floor), 0.0), min(shorten_to_bits(most, ceil), 1.0))


def shorten_to_bits(number: float, rounded: Callable[[float], int]) -> float:
    """The number rounded to INTEGRAL_END_BITS bits by `rounded` (floor or ceil).
    The last bits of the number may depend on the processor.
    """
    share, power = frexp(number)
    return ldexp(rounded(ldexp(share, INTEGRAL_END_BITS)), power - INTEGRAL_END_BITS)


def distribution_bounds(noise: str, below: Array, above: Array) -> tuple[Array, Array]:
    """A lower bound on the distribution function F at `below`, and an upper bound on F at `above`."""
    if noise == "gaussian":
        return ncdf_ends(below)[0], ncdf_ends(above)[1]
    unit = 16 * 2.0**-52
    p, q = (np.where(x <= 0, el.exp(-np.abs(x)) / 2, 1 - el.exp(-np.abs(x)) / 2) for x in (below, above))
    return p * (1 - unit), q * (1 + unit)
