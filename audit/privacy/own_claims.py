"""Audits of your own claims: a policy, or a single step, against a guarantee that need not be in any paper.

    from dpbandits import audit_policy

    audit_policy(MyPolicy(arms=2, horizon=20), eps=1.0)

The ledger is not used. The claim is that what the policy releases is (eps, delta)-DP, mu-GDP, or satisfies another
curve, for the given relation of neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from dpbandits import registry
from dpbandits.audit.judges.effort import OWN, QUICK, Profile, Run, with_trials
from dpbandits.audit.privacy.evidence import LEFT_OUT
from dpbandits.audit.privacy.search.pairs import checked_hint, checked_hints
from dpbandits.audit.runner.dispatch import judge_subject
from dpbandits.reference.arithmetic.checks import checked_integer, is_number, require_in_open_interval
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import Contexts, context_dimension, why_contexts_do_not_fit
from dpbandits.reference.bandits.policy import Policy, Step
from dpbandits.reference.bandits.protocol import demand_policy, name_of
from dpbandits.reference.bandits.reward_ranges import UNIT_RANGE, reward_range, reward_values
from dpbandits.reference.claims.findings import PrivacyFound
from dpbandits.reference.claims.model import Claim, Finding, Private, Source, Verdict
from dpbandits.reference.curves import Approximate, Curve, Gaussian, derived
from dpbandits.reference.curves.curve import require_curve

if TYPE_CHECKING:
    from dpbandits.proofs_checks.alignment.bounds import Alignment

# Which neighbours a policy has, one with contexts, and a single step; and who looks; in words.
POLICY_RELATIONS = {
    "pull": "one reward of the table of pulls changed",
    "round": "the rewards of one round changed",
    "history": "one reward of the past changed, in single rounds",
}
OF_CONTEXTUAL_POLICIES = {
    "reward": "the rewards of one round changed",
    "user": "the context and the rewards of one round changed",
    "pull": "one reward of the table of pulls changed",
}
OF_STEPS = {"query": "the answer of one query changed", "queries": "the answers of all queries changed"}
AUDITED_VIEWS = {
    "arms": "what is released",
    "others": "what is released in all rounds but the changed one",
    "samples": "all that is sampled",
}
FIRST_OF_OTHERS = ("user", "round")  # relations that the view "others" is about, unless another one is named


def audit_policy(
    policy: Policy | Step,
    *,
    eps: float | None = None,
    delta: float | None = None,
    mu: float | None = None,
    curve: Curve | None = None,
    relation: str = "",
    view: str = "arms",
    pairs: Sequence[Pair] = (),
    contexts: Contexts | None = None,
    profile: Profile = QUICK,
    seed: int = 0,
    risk: float = OWN,
    trials: int | None = None,
    sequential: bool = False,
) -> Finding:
    """Audits whether a policy satisfies a privacy claim: (eps, delta)-DP, mu-GDP or another privacy curve.

    The verdict is PROVED if randomness alignment bounds the privacy loss for all reward tables of the policy's horizon
    (this attempt takes up to three seconds). If there is no such proof, the audit searches for neighbouring inputs, and
    the verdict is based on the policy's law or on samples.

    policy: a policy, or a `Step` (a one-shot mechanism with its two inputs). eps and delta (default 0), or mu: the
    claim. curve: any other guarantee, such as Concentrated(rho) of `dpbandits.pages`. relation: what differs between
    neighbouring inputs. For a policy, "pull" means one reward of the pull-indexed table, "round" the rewards of one
    round, and "history" one past reward of a single round. For a policy with contexts, "reward" means the rewards of
    one round, and "user" the rewards and the context of one round; "pull" is also possible. For a step, "query" means
    the answer to one query, and "queries" the answers to all queries. The default is the relation of `pairs`, or else
    "pull", "reward" or "query". view: what the adversary sees. With "arms" the adversary sees everything that is
    released. With "others" the adversary sees the releases of all rounds except the changed one (joint privacy; the
    default relation is then "round" or "user"). With "samples" the adversary sees all noisy values that are drawn, or
    the values that are compared if the policy does not declare its draws. "samples" is not possible for "user", because
    a user's own values depend on the user's context. pairs: a few pairs of tables that the audit tests before the pairs
    that it finds itself; they can only help to find a violation. contexts: the contexts of all rounds, if they are
    fixed (a changed "user" may have any other context). None means all contexts for which the policy is designed.
    profile: the amount of computation. seed: the seed of all random numbers. risk: the largest probability that a true
    claim is refuted (default 1e-9). trials: the number of runs with each of the two inputs; the default is the
    profile's number. sequential: whether to stop as soon as the claim is refuted (for whole runs of a policy without a
    law, with view "arms"). The number of trials is then an upper limit, trials are drawn in batches, and the risk holds
    whenever the audit stops. Raises ValueError for an invalid claim or pair, and TypeError if policy is not a policy,
    or pairs contains other objects than `Pair`.
    """
    require_in_open_interval("risk", risk, 0, 1)
    claim = own_claim(policy, eps=eps, delta=delta, mu=mu, curve=curve, relation=relation, view=view, pairs=pairs,
                    contexts=contexts)  # fmt: skip
    if not isinstance(policy, Step):
        demand_policy(policy)
    run = Run(with_trials(profile, policy, trials), checked_integer(seed, "seed", 0, 2**64 - 1), float(risk))
    found, looked = judge_own_policy(claim, policy, run, sequential, registry.added().own_policy_looks)
    summary = " ".join((found.summary, *looked))
    return replace(found, summary=summary, repro="")  # no command knows the policy


def judge_own_policy(
    claim: Claim,
    policy: Policy | Step,
    run: Run,
    sequential: bool = False,
    own_policy_looks: Sequence[str] = (),
    search: Callable[..., Alignment] | None = None,
) -> tuple[Finding, tuple[str, ...]]:
    """The finding about a user's policy: PROVED by randomness alignment, or from a search, by law or samples.

    Also returns the sentences of the looks that describe a violation; the finding's evidence contains them. sequential:
    whether to stop as soon as the claim is refuted. own_policy_looks: as in `registry.Extension`. search: the function
    that computes the alignment bound; by default `bound_on_runs_or_states`. Raises ValueError if a sequential audit is
    not possible.
    """
    # Imported here: audits of mechanisms and counters use this module too, and need no alignment.
    from dpbandits.audit.privacy.alignment import proved_by_alignment, refuted_by_values, with_remark
    from dpbandits.proofs_checks.alignment.merged_bounds import bound_on_runs_or_states

    aligned = proved_by_alignment(claim, policy, run.seed, search or bound_on_runs_or_states)
    if aligned.proved is not None:
        return aligned.proved, ()
    if (refuted := refuted_by_values(claim, policy, run.seed)) is not None:
        return refuted, ()
    looks = [registry.loaded(look)(claim, policy, run.seed) for look in own_policy_looks]
    suggested = (checked_hint(policy, pair.relation, pair, 0) for _, found in looks for pair in found)
    run = replace(run, suggestions=tuple(suggested))
    if sequential:
        from dpbandits.audit.privacy.sequential import judge_in_batches

        found = judge_in_batches(claim, run, policy)
    else:
        found = judge_subject(claim, run, policy)
    looked = tuple(words for words, _ in looks if words)
    for words in (*looked, aligned.remark, rewards_remark(found, policy)):
        found = with_remark(found, words)
    return found, looked


def rewards_remark(found: Finding, policy: Policy | Step) -> str:
    """A sentence that proposes to declare the policy's rewards; "" if the claim is not refuted, or they are declared.
    It is also "" if the tables of the refutation contain no reward strictly between 0 and 1."""
    body = found.body
    if found.verdict is not Verdict.REFUTED or not isinstance(body, PrivacyFound) or body.neighbours is None:
        return ""
    if (
        isinstance(policy, Step)
        or reward_range(policy) != UNIT_RANGE
        or reward_values(policy) is not None
        or context_dimension(policy)
    ):
        return ""
    paid = {reward for stretch in body.neighbours.stretches for reward in stretch.rewards} - {LEFT_OUT}
    inside = min((float(reward) for reward in paid if 0 < float(reward) < 1), default=None)
    if inside is None:
        return ""
    return (
        f"The violation was found on tables with the reward {inside:g}. If the policy is designed for other rewards "
        "than all numbers in [0, 1], declare its rewards and audit again: reward_range={0.0, 1.0} for 0 and 1 only, or "
        "reward_range=(low, high) for an interval (an argument of from_object and from_program, and an attribute of "
        "other policies)"
    )


def own_claim(
    policy: Policy | Step,
    *,
    eps: float | None,
    delta: float | None,
    mu: float | None,
    curve: Curve | None = None,
    relation: str = "",
    view: str = "arms",
    pairs: Sequence[Pair] = (),
    contexts: Contexts | None = None,
) -> Claim:
    """Returns the claim about the policy that the keyword arguments state."""
    if not isinstance(pairs, Sequence):
        raise TypeError(f"pairs is {pairs!r}; give a list of Pair objects of dpbandits")
    known, views = relations_of(policy, view)
    if not isinstance(relation, str):
        raise ValueError(f"relation is {relation!r}; choose one of {', '.join(map(repr, known))}")
    if len(pairs) and isinstance(policy, Step):
        raise ValueError("pairs= is for policies only; a Step already has its two inputs, left and right")
    if len(pairs) and not relation:
        relation = str(getattr(pairs[0], "relation", next(iter(POLICY_RELATIONS))))
    relation = relation or next(iter(known))
    for name, value, words in (("relation", relation, known), ("view", view, views)):
        if not isinstance(value, str) or value not in words:
            choices = ", ".join(f"{key!r} ({each})" for key, each in words.items())
            why = about_contexts(policy, value, view) if name == "relation" else ""
            raise ValueError(f"{name} is {value!r}; choose one of {choices}{why}")
    promised = claimed_curve(eps, delta, mu, curve)
    name = name_of(policy)
    source = Source("own", name, f"{name} is {derived.guarantee_name(promised)}.")
    demand_known_contexts(policy, contexts)
    says = Private(relation, view, lambda _: promised, (lambda _: pairs) if len(pairs) else None, contexts)
    if len(pairs):
        for place, pair in enumerate(checked_hints(policy, says)):
            if pair.spot is None:
                raise ValueError(
                    f"pairs[{place}]: both reward tables are equal; give two neighbouring reward tables that differ"
                )
    return Claim(f"own/{name}", source, says, expect=Verdict.CONSISTENT)


def claimed_curve(eps: float | None, delta: float | None, mu: float | None, curve: Curve | None = None) -> Curve:
    """Returns the trade-off curve that the arguments claim: (eps, delta)-DP, mu-GDP, or the given curve.
    Raises ValueError unless the arguments are eps (and delta), or mu, within their ranges, or one curve that guarantees
    something."""
    if curve is not None and eps is delta is mu is None:
        require_curve(curve)
        if not len(curve.claimed_parameters()[0]):
            raise ValueError(
                "curve guarantees nothing: at every point that was tried, its formula returned nan or a negative "
                "number; correct the formula"
            )
        return curve
    if curve is not None or (eps is None) == (mu is None) or (mu is not None and delta is not None):
        raise ValueError("give exactly one guarantee: eps= (optionally with delta=), mu= or curve=")
    for name, value in (("eps", eps), ("delta", delta), ("mu", mu)):
        if value is not None and not (is_number(value) and 0 <= value < (1 if name == "delta" else inf)):
            raise ValueError(
                f"{name} is {value!r}; it must be a finite number {'in [0, 1)' if name == 'delta' else 'of at least 0'}"
            )
    return Gaussian(float(mu)) if mu is not None else Approximate(float(eps or 0.0), float(delta or 0.0))


def about_contexts(policy: Policy | Step, relation: str, view: str) -> str:
    """Returns the end of an error message that explains why contexts rule out a relation, or "".
    The relation is not available for this policy in this view because the policy uses contexts, or uses none. "" if
    contexts are not the reason."""
    if isinstance(policy, Step) or not isinstance(relation, str) or relation not in ("reward", "user", "round"):
        return ""
    if (d := context_dimension(policy)) and relation == "user":
        return (
            f"; the noisy values of a user's own round depend on the user's own context, so view {view!r} is "
            "available for relations that keep contexts only"
        )
    if d:
        return f"; {name_of(policy)} has contexts = {d}, and relation 'round' does not determine whether they change"
    return (
        f"; {name_of(policy)} uses no contexts (if it should, set its attribute contexts = d, or contexts=d in "
        "from_object)"
    )


def relations_of(policy: Policy | Step, view: str) -> tuple[dict[str, str], dict[str, str]]:
    """Returns two mappings from names to words: the relations and the views that a policy or step supports."""
    if isinstance(policy, Step):
        return OF_STEPS, {name: AUDITED_VIEWS[name] for name in ("arms", "samples")}
    known = OF_CONTEXTUAL_POLICIES if context_dimension(policy) else POLICY_RELATIONS
    if not isinstance(view, str) or view not in ("others", "samples"):
        return known, AUDITED_VIEWS
    if view == "samples":  # of which a user's own depend on its context, and are no secret of the rewards
        return {name: words for name, words in known.items() if name != "user"}, AUDITED_VIEWS
    first = next(name for name in FIRST_OF_OTHERS if name in known)
    return {name: known[name] for name in (first, "reward") if name in known}, AUDITED_VIEWS


def demand_known_contexts(policy: Policy | Step, contexts: Contexts | None) -> None:
    """Checks the given contexts.
    Raises TypeError if they are no contexts, and ValueError if they do not fit this policy."""
    if contexts is None:
        return
    if not isinstance(contexts, Contexts):
        raise TypeError(f"contexts is {contexts!r:.80}; give Contexts(features) of dpbandits")
    if isinstance(policy, Step) or not context_dimension(policy):
        raise ValueError(
            f"contexts are given, but {name_of(policy)} uses none; set its attribute contexts = d "
            "(contexts=d in from_object), or omit contexts="
        )
    if objection := why_contexts_do_not_fit(policy, [contexts]):
        raise ValueError(f"contexts: {objection}")
