"""Linear forms in the place of numbers: which of them is the largest, and arrays of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from dpbandits.proofs_checks.alignment.branches import outcomes_of_largest
from dpbandits.proofs_checks.alignment.forms import Form, FormArray, Symbol

VALUES = (3.0, 1.0, 4.0, 1.5, 9.0, 2.0)


class GivenNumbers:
    """A run in which symbol number i has the value VALUES[i]."""

    symbols: list[Symbol] = []  # noqa: RUF012

    def number_of(self, symbol: Symbol) -> int:
        raise NotImplementedError

    def value(self, form: Form) -> float:
        return float(form.constant) + sum(float(share) * VALUES[number] for number, share in form.coefficients.items())

    def positive(self, form: Form, strict: bool) -> bool:
        return self.value(form) > 0 or (not strict and self.value(form) == 0)

    def largest(self, forms: Sequence[Form]) -> int:
        return int(np.argmax([self.value(form) for form in forms]))


RUN = GivenNumbers()


def constants(*values: int) -> list[Form]:
    return [Form(RUN, {}, Fraction(value)) for value in values]


@pytest.mark.parametrize("values", [(0, 0), (1, 0, 1), (2, 5, 5, 5), (0, 1), (1, 0), (3,)])
def test_of_equal_constants_the_first_is_the_largest_as_in_numpy(values: tuple[int, ...]) -> None:
    outcomes = outcomes_of_largest(constants(*values))
    assert outcomes == [[] if place == np.argmax(values) else None for place in range(len(values))]


def test_a_noisy_value_is_compared_with_all_others() -> None:
    """With the first strictly, where a tie would be the first one's; and only with noise where constants decide."""
    noisy = Form(RUN, {0: Fraction(1)})
    first, second, third = outcomes_of_largest([*constants(1, 0), noisy])
    assert first is not None
    assert [(each.form.coefficients, each.strict) for each in first] == [({0: -1}, False)]
    assert second is None
    assert third is not None
    assert [(each.form.constant, each.strict) for each in third] == [(-1, True), (0, True)]


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_extremes_of_an_array_are_those_of_its_numbers(name: str, axis: int | None, keepdims: bool) -> None:
    forms = np.empty((2, 3), dtype=object)
    forms.ravel()[:] = [Form(RUN, {number: Fraction(1)}) for number in range(6)]
    found = getattr(forms.view(FormArray), name)(axis=axis, keepdims=keepdims)
    expected = getattr(np.reshape(VALUES, (2, 3)), name)(axis=axis, keepdims=keepdims)
    value = np.vectorize(lambda each: RUN.value(each) if isinstance(each, Form) else each, otypes=[float])
    assert np.shape(found) == np.shape(expected)
    assert value(np.asarray(found, dtype=object)).tolist() == np.asarray(expected, dtype=float).tolist()


@pytest.mark.parametrize("number", [0, 1])
def test_the_size_of_a_form_is_that_of_its_value(number: int) -> None:
    for shift in (-2, 0, -1, -3):  # on either side of 0, and at 0
        form = Form(RUN, {number: Fraction(1)}, Fraction(shift))
        found = abs(form)
        assert RUN.value(found if isinstance(found, Form) else Form(RUN, {}, Fraction(found))) == abs(RUN.value(form))
        assert abs(constants(shift)[0]) == -shift
