"""The bound on eps or mu that randomness alignment proves for a policy. The bound holds for all pairs of neighbouring
reward tables at the policy's horizon."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from math import inf, nextafter, sqrt

from dpbandits.proofs_checks.alignment.branches import SymbolTable
from dpbandits.proofs_checks.alignment.finite_runs import FiniteTree
from dpbandits.proofs_checks.alignment.forms import MOVABLE, OWN_FILES, NotLinear, code_line, rational
from dpbandits.proofs_checks.alignment.hidden_state import objection_to_memory, stored_values
from dpbandits.proofs_checks.alignment.merged_states import MergedStates
from dpbandits.proofs_checks.alignment.other_randomness import OtherRandomness
from dpbandits.proofs_checks.alignment.path_replays import PathReplays
from dpbandits.proofs_checks.alignment.runs_on_numbers import first_disagreement
from dpbandits.proofs_checks.alignment.single_runs import PlaysOneRun, SingleRuns
from dpbandits.proofs_checks.alignment.traced_runs import KINDS, NoBound, TooLong, Tree, Worst
from dpbandits.proofs_checks.alignment.unequal_trials import first_dependent_trial
from dpbandits.reference.bandits.contexts import Contexts, context_dimension
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.reward_ranges import reward_values

EFFORT = 500_000  # after which a search gives up, unless told otherwise: two or three CPU seconds
WITHOUT_MOVES = 5  # if a run has no move, a fifth of the effort for a second search, which may find idle decisions
LEAVES = 400  # paths of a tree that is written down as a certificate
NO_BOUND = "a reward is compared with no noise that could make up for its change"


class Outcome(StrEnum):
    """How the search for a bound ended."""

    BOUND = "bound"
    NO_BOUND = "no bound"  # a reward is compared with no noise that could make up for its change
    NOT_LINEAR = "not linear"  # the policy does something with noise or rewards that is not followed
    TOO_LONG = "too long"  # there are more runs than the effort allows
    NO_NOISE = "no noise"  # the policy draws no noise that moves


@dataclass(frozen=True)
class Alignment:
    """The result of the search.

    outcome: see `Outcome`. noise: "normal", or "laplace" for all noise with a cost in eps (Laplace, exponential, Gumbel
    and geometric). cost: the largest cost of a move: eps, or mu squared for normal noise; for an outcome other than
    BOUND only the largest so far. reason: for the other outcomes, in words, with the policy's line. worst: the most
    expensive change, or one without a move. paths, steps: the numbers that were followed. tree: the search itself, for
    a certificate. If rewards were followed value by value, noise is "finite", and finite is the search. merged: the
    search over merged states; its paths are the transitions of all steps.
    """

    outcome: Outcome
    noise: str = ""
    cost: Fraction = Fraction(0)
    reason: str = ""
    worst: Worst | None = None
    paths: int = 0
    steps: int = 0
    tree: Tree | None = field(default=None, repr=False)  # whose forms must not become strings
    merged: MergedStates | None = field(default=None, repr=False)
    finite: FiniteTree | None = field(default=None, repr=False)

    @property
    def eps(self) -> float:
        """The bound on eps, rounded up; inf without a bound, and for normal noise."""
        return rounded_up(self.cost) if self.outcome is Outcome.BOUND and self.noise != "normal" else inf

    @property
    def mu(self) -> float:
        """The bound on mu, rounded up; inf without a bound, and for other noise than normal."""
        return root_rounded_up(self.cost) if self.outcome is Outcome.BOUND and self.noise == "normal" else inf

    @property
    def parameter(self) -> tuple[str, float]:
        """The bounded parameter ("mu" for normal noise, "eps" for other noise), and the bound."""
        return ("mu", self.mu) if self.noise == "normal" else ("eps", self.eps)


def rounded_up(value: Fraction) -> float:
    """The smallest double that is at least the fraction."""
    near = float(value)
    return near if Fraction(near) >= value else nextafter(near, inf)


def root_rounded_up(value: Fraction) -> float:
    """A double that is at least the square root of a fraction."""
    near = sqrt(rounded_up(value))
    while Fraction(near) ** 2 < value:
        near = nextafter(near, inf)
    return near


def alignment_bound(policy: Policy, effort: int = EFFORT, seed: int = 0, contexts: Contexts | None = None) -> Alignment:
    """The bound on eps or mu for the released arms, proved by randomness alignment.
    Neighbours differ in one reward of the table; horizon and range of rewards are the policy's.

    policy: one that passes its state and draws all randomness from its noise, or code that plays one run and draws all
    randomness from the generator that it is given. contexts: the features of all rounds, for a policy with contexts;
    the bound is about these. effort: the limit of the search, in units of some five microseconds; the count does not
    depend on the machine. seed: of the runs on random numbers, which must agree with the traced ones.

    Relations "pull" and "round" have the same bound: either changes one reward that is pulled.
    """
    if context_dimension(policy) and contexts is None:
        return Alignment(Outcome.NOT_LINEAR, reason="the features that the policy sees are not known")
    if isinstance(policy, PlaysOneRun):
        policy = SingleRuns(policy)
    found = moved_bound(policy, effort, seed, contexts)
    values = reward_values(policy)
    if found.outcome in (Outcome.BOUND, Outcome.TOO_LONG) or values is None:
        return found
    tried = value_by_value(FiniteTree(policy, tuple(rational(float(each)) for each in values), effort, contexts), seed)
    return tried if tried.outcome is Outcome.BOUND else found


def moved_bound(policy: Policy, effort: int, seed: int, contexts: Contexts | None) -> Alignment:
    """The bound proved by shifting the policy's noise: the first kind of noise that gives a bound counts."""
    found = Alignment(Outcome.NO_NOISE, reason="the policy draws no Laplace, exponential, Gumbel or normal noise")
    for noise in KINDS:
        tree = Tree(policy, noise, effort, LEAVES, contexts)
        tried = bound_on_tree(tree)
        moving = any(symbol.kind in MOVABLE[noise] for symbol in tree.table.symbols)
        if moving and tried.outcome is Outcome.NO_BOUND:
            again = bound_on_tree(Tree(policy, noise, effort // WITHOUT_MOVES, LEAVES, contexts, pays=False))
            tried = again if again.outcome is Outcome.BOUND else tried
        if moving or tried.outcome is Outcome.NOT_LINEAR:
            found = tried
        if found.outcome is Outcome.BOUND:
            return bound_if_runs_agree(found, policy, seed, contexts)
        if found.outcome in (Outcome.NOT_LINEAR, Outcome.TOO_LONG):
            return found
    return found


def value_by_value(tree: FiniteTree, seed: int) -> Alignment:
    """The bound for a policy whose noise is finite draws alone and whose rewards have finitely many values.
    Every value of a reward is followed."""
    outcome, reason = run_search(tree)
    found = Alignment(outcome, "finite", tree.cost, reason, tree.worst, tree.paths, tree.steps, finite=tree)
    return (
        bound_if_runs_agree(found, tree.policy, seed, tree.contexts, tree.values) if outcome is Outcome.BOUND else found
    )


def bound_if_runs_agree(
    bound: Alignment, policy: Policy, seed: int, contexts: Contexts | None, values: tuple[Fraction, ...] = ()
) -> Alignment:
    """The given bound, if runs of the policy on numbers agree with the traced runs.
    Otherwise NOT_LINEAR with the difference."""
    search = bound.tree or bound.finite
    assert search is not None
    table = SymbolTable([*search.run.symbols], {**search.run.table.numbers})  # which a certificate lists, as it is
    paths = PathReplays(policy, table, search.codes, contexts, values)

    def play() -> str:
        """Compares runs on random numbers with the traced runs; returns the first difference, "" if there is none."""
        return (
            paths.first_objection(search.traced, seed)
            or first_disagreement(policy, seed, search.run.thresholds, contexts=contexts, rewards=values)
            or first_dependent_trial(policy, seed, max(len(path.released) for path in search.traced), contexts)
        )

    objection = objection_on_numbers(policy, play)
    return bound if not objection else Alignment(Outcome.NOT_LINEAR, bound.noise, reason=objection)


def objection_on_numbers(policy: Policy, play: Callable[[], str]) -> str:
    """The reason why runs on numbers do not confirm the traced runs; "" if they confirm them.
    `play` plays the runs and returns the first difference. Other reasons: the policy has other randomness, or changes
    values outside its state in these runs."""
    before, other = stored_values(policy), OtherRandomness()
    try:
        with other:
            objection = play()
    except Exception as error:  # of the policy
        return f"on numbers the policy raises {objection_of_error(error)}"
    if not objection and other.found:
        objection = f"the code has randomness of its own: {other.found}"
    return objection or objection_to_memory(before, stored_values(policy))


def objection_of_error(error: Exception) -> str:
    """The type and message of an exception that the policy raised, with the line of the policy that raised it."""
    return f"{type(error).__name__}{': ' * bool(str(error))}{error} at {line_of(error)}"


def raised_on_symbols(error: Exception) -> str:
    """A sentence that names the exception which the policy raises when it is run on symbols instead of numbers."""
    return f"with symbols for numbers the policy raises {objection_of_error(error)}"


def bound_on_tree(tree: Tree) -> Alignment:
    """Runs the search over a policy's runs and returns its result.
    Outcome, bound, and the reason if there is no bound."""
    outcome, reason = run_search(tree)
    return Alignment(outcome, tree.noise, tree.cost, reason, tree.worst, tree.paths, tree.steps, tree)


def run_search(
    tree: Tree | FiniteTree | MergedStates, no_bound: str = NO_BOUND, unit: str = "runs"
) -> tuple[Outcome, str]:
    """Runs the search for a privacy bound; returns its outcome, and the reason in words if it found no bound.
    no_bound: the reason to return for NO_BOUND. unit: "runs" or "states", whichever the search follows, for the reason
    that there are too many."""
    try:
        tree.search()
    except NoBound:
        return Outcome.NO_BOUND, no_bound
    except NotLinear as error:
        return Outcome.NOT_LINEAR, str(error)
    except (TooLong, RecursionError):
        return Outcome.TOO_LONG, f"there are more {unit} than the effort of {tree.most_effort} allows"
    except Exception as error:  # of the policy, which was handed forms in the place of numbers
        return Outcome.NOT_LINEAR, raised_on_symbols(error)
    return Outcome.BOUND, ""


def line_of(error: Exception) -> str:
    """The innermost line of the policy's code in a traceback, "mine.py:12"."""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if not each.filename.startswith(OWN_FILES)]
    return code_line(frames[-1].filename, frames[-1].lineno or 0) if frames else "an unknown line"
