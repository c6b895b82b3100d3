"""Discrete Laplace noise, sampled exactly: integers from random bits, without floating-point arithmetic.

P(z) = (1 - q)/(1 + q) q^|z|, for a rational q, or q = e^(-1/scale) for a rational scale (Canonne, Kamath, Steinke, The
Discrete Gaussian for Differential Privacy, NeurIPS 2020, Algorithms 1 and 2). Integers of bounded size are compared and
divided; a Bernoulli draw with probability e^-x is built from Bernoulli draws with rational probabilities. The bits are
those of addressed uniform draws, 53 from each, so runs are repeatable, and can be recorded as a list of integers.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.bandits.noise import Noise
from dpbandits.reference.bandits.policy import Ints

WORD_BITS = 53  # of a uniform draw, all that numpy makes it of
MAX_PART = 2**20  # of a scale's numerator and denominator: a coin's chance x/(y k) has a denominator that fits a word

Some = NDArray[np.bool_]
WordsAt = Callable[[str], Ints]  # words at a place of the algorithm: the same for a trial whatever becomes of others


def discrete_laplace(noise: Noise, site: str, index: int, shape: tuple[int, ...], scale: Fraction) -> Ints:
    """Discrete Laplace draws with this scale, (trials, *shape).
    Raises ValueError for a scale that is not positive, or whose numerator or denominator exceeds MAX_PART."""
    if not (0 < scale.numerator <= MAX_PART and scale.denominator <= MAX_PART):
        raise ValueError(f"scale = {scale}; it must be a positive fraction of integers up to 2^20, such as 5/2")
    words = words_at(noise, site, index, shape)
    many, over = scale.numerator, scale.denominator

    def sized(place: str, mask: Some) -> tuple[Ints, Some]:
        """Proposed sizes of the draws that the mask selects, and which of them are accepted; others are drawn again."""
        rest = below(words, f"{place} rest", many, mask)
        going = mask & shows_exp(words, f"{place} first", rest, many, mask)
        ones = np.ones_like(rest)
        turns = heads(lambda turn, run: shows_exp(words, f"{place} turn {turn}", ones, 1, run), going)
        return (rest + many * turns) // over, going

    return signed(words, " sign 0", sized)


def heads(coin_shows_one: Callable[[int, Some], Some], mask: Some) -> Ints:
    """For each draw that the mask selects, how many coins show 1 before the first that shows 0; 0 for other draws.
    coin_shows_one: tosses the coin with this number, for the draws that need it."""
    size, run, turn = np.zeros(mask.shape, dtype=np.int64), mask, 0
    while run.any():
        run = run & coin_shows_one(turn, run)
        size, turn = size + run, turn + 1
    return size


def signed(words: WordsAt, sign: str, sized: Callable[[str, Some], tuple[Ints, Some]]) -> Ints:
    """Random integers with sizes drawn by `sized` and random signs; a negative 0 is rejected and drawn again.
    sized: attempts to draw the sizes of the remaining draws, and returns which of them succeeded. sign: the place of
    the bits for signs."""
    first = words(f" 0{sign}")
    found, left, attempt = np.zeros_like(first), np.ones(first.shape, dtype=np.bool_), 0
    while left.any():
        size, drawn = sized(f" {attempt}", left)
        negative = (words(f" {attempt}{sign}") if attempt else first) % 2 == 1
        done = drawn & ~(negative & (size == 0))
        found, left, attempt = np.where(done, np.where(negative, -size, size), found), left & ~done, attempt + 1
    return found


def words_at(noise: Noise, site: str, index: int, shape: tuple[int, ...]) -> WordsAt:
    """A function that returns random integers of WORD_BITS bits for a given place in the address, (trials, *shape)."""
    return lambda place: np.asarray(noise.uniform(f"{site}{place}", index, shape) * 2.0**WORD_BITS).astype(np.int64)


def below(words: WordsAt, place: str, end: Any, mask: Some) -> Ints:
    """Uniform integers from 0 to end - 1 for the draws in the mask `mask`; 0 for all other draws.
    Values beyond the last multiple of `end` are rejected."""
    found, left, attempt = np.zeros(mask.shape, dtype=np.int64), mask & (end > 1), 0
    while left.any():
        word = words(f"{place} {attempt}")
        fits = left & (word < 2**WORD_BITS // end * end)
        found, left, attempt = np.where(fits, word % end, found), left & ~fits, attempt + 1
    return found


def shows_exp(words: WordsAt, place: str, x: Ints, y: int, mask: Some) -> Some:
    """For the draws that the mask selects, whether a coin shows 1, with probability e^(-x/y), 0 <= x <= y.
    Coins with probabilities x/(y k), k = 1, 2, ..., are tossed until one shows 0; an odd k counts as 1 (Algorithm
    1)."""
    odd, left, k = np.zeros(mask.shape, dtype=np.bool_), mask, 0
    while left.any():
        k += 1
        shows = left & (below(words, f"{place} coin {k}", y * k, left) < x)
        odd, left = np.where(left & ~shows, k % 2 == 1, odd), shows
    return odd
