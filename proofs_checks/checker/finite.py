"""Checks certificates of kind "finite": proofs of eps-DP for policies whose rewards and draws have finitely many
values.

A certificate lists trees, which describe all runs of a policy. A node is a draw with probabilities, a reward with
finitely many values, a comparison whose outcome the listed rewards determine, the release of a step, or the end of the
run. A node leads to earlier nodes of the list, so equal trees are one node. The checker verifies:

1. The probabilities of a draw are positive and add up to 1. A path reads or compares the reward of one step and arm at
   most once.
2. For each two values of a reward, and for each two outcomes of a comparison, the same trees follow the first draws
   afterwards, and the probabilities of each of these trees differ by a factor of at most e^eps.

Before the changed reward, and within the trees that follow it, runs on neighbouring reward tables have the same
probabilities. Therefore the probabilities of all releases differ by a factor of at most e^eps. The stored probabilities
represent numbers that differ from them by a factor of at most 1 + 2^-40. The certificate does not prove that its trees
are those of the policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from .untrusted import Fields, Rejected, read_decimal, spend_effort

PROBABILITY_ERROR = Fraction(1, 2**40)
BITS = 2**256  # parts of 1 in which powers of e are computed, rounded down
Law = dict[int, Fraction]
Entries = frozenset[tuple[int, int]]  # rewards: the step and arm of each


def check_finite(certificate: Fields) -> list[str]:
    """Checks a certificate of finite runs.
    Recomputes, for every reward and comparison, the largest ratio of probabilities between two values or outcomes.
    Returns lines of text that report the result. Raises Rejected if a ratio exceeds e^eps, or if a tree follows only
    some values or outcomes."""
    values = {read_decimal(value, "values") for value in certificate["values"]}
    bound = read_decimal(certificate["bound"], "bound")
    if not values or len(values) != len(certificate["values"]) or not 0 <= bound <= 1000:
        raise Rejected("values must be different, with at least one value, and bound must lie between 0 and 1000")
    allowed = power_of_e_below(bound) * (1 + PROBABILITY_ERROR)
    laws, inside, many = list[Law](), list[Entries](), {"reward": 0, "comparison": 0}  # inside: the rewards of a tree
    for place, node in enumerate(certificate["nodes"]):
        require_fields(node, place, len(values))
        below = entries_below(inside[each] for each in node["next"])
        if node["kind"] in many:
            many[node["kind"]] += 1
            own = entries_of(node, place)
            if not own.isdisjoint(below):
                raise Rejected(f"nodes/{place}: on every path, each reward may be read or compared only once")
            below |= own
            require_near([laws[each] for each in node["next"]], allowed, place)
        inside.append(below)
        laws.append(law_of_draw(node, laws, place) if node["kind"] == "draw" else {place: Fraction(1)})
    if certificate["root"] >= len(laws):
        raise Rejected(f"root: there is no node {certificate['root']}")
    listed = ", ".join(certificate["values"])
    compared = f", {many['comparison']} with a comparison of rewards" if many["comparison"] else ""
    outcomes = " of a reward, or outcomes of a comparison" if compared else " of a reward"
    return [
        f"{len(laws)} trees of runs, {many['reward']} of which begin with a reward, whose values are {listed:.200}"
        f"{compared}",
        f"for each two values{outcomes}, probabilities of what follows differ by a factor of at most "
        f"e^({certificate['bound'][:60]}), up to a relative error of 2^-40 of probabilities",
        "that these are the runs of the policy is not part of the certificate",
    ]


def require_fields(node: Fields, place: int, values: int) -> None:
    """Raises Rejected if a node's fields do not fit its kind, or if it leads to a later node. place: the node's number.
    values: how many values a reward has."""
    kind, many = node["kind"], len(node["next"])
    fitting = {
        "draw": not node["label"] and many == len(node["weights"]) > 0,
        "reward": len(node["label"]) == 2 and many == values and not node["weights"],
        "comparison": bool(node["label"]) and len(node["label"]) % 2 == 0 and many > 1 and not node["weights"],
        "release": many == 1 and not node["weights"],
        "end": not (node["label"] or many or node["weights"]),
    }
    if not fitting[kind]:
        raise Rejected(f"nodes/{place}: the fields of this node do not agree with its kind {kind}")
    if any(each >= place for each in node["next"]):
        raise Rejected(f"nodes/{place}: the node leads to a later node, but may lead only to earlier ones")


def entries_below(inside: Iterable[Entries]) -> Entries:
    """The rewards that occur in any of several trees. inside: the rewards of each tree."""
    found: Entries = frozenset()
    for each in inside:
        if each is not found and each != found:
            spend_effort(len(each) // 8 + 1)
            found |= each
    return found


def entries_of(node: Fields, place: int) -> Entries:
    """The rewards that a node reads or compares. Raises Rejected if one is listed twice."""
    label = node["label"]
    found = frozenset(zip(label[::2], label[1::2], strict=True))
    if 2 * len(found) != len(label):
        raise Rejected(f"nodes/{place}: a comparison lists a reward twice")
    return found


def law_of_draw(node: Fields, laws: Sequence[Law], place: int) -> Law:
    """The trees that follow a draw and the draws directly after it: {number of a tree: its probability}."""
    weights = [read_decimal(weight, f"nodes/{place}") for weight in node["weights"]]
    if min(weights) <= 0 or sum(weights) != 1:
        raise Rejected(f"nodes/{place}: probabilities must be positive and add up to 1")
    found: Law = {}
    for weight, after in zip(weights, node["next"], strict=True):
        for each, chance in laws[after].items():
            spend_effort(1)
            found[each] = found.get(each, Fraction(0)) + weight * chance
    return found


def require_near(laws: Sequence[Law], allowed: Fraction, place: int) -> None:
    """Raises Rejected if a tree is more than `allowed` times as probable after one value or outcome as after another.
    allowed: the largest factor between the probabilities. laws: {tree: probability} for each value or outcome."""
    for one in laws:
        for other in laws:
            for tree, chance in one.items():
                spend_effort(1)
                if tree not in other:
                    raise Rejected(
                        f"nodes/{place}: tree {tree} is possible after one value of the reward (or one outcome of the "
                        "comparison) and not after another; the same trees must be possible after all of them"
                    )
                if chance > allowed * other[tree]:
                    raise Rejected(
                        f"nodes/{place}: tree {tree} is more probable for one value or outcome than for another by a "
                        "factor larger than e^bound"
                    )


def power_of_e_below(exponent: Fraction) -> Fraction:
    """A tight lower bound on e^exponent: a partial sum of the series, rounded down. exponent: at least 0."""
    found, term, place = Fraction(0), Fraction(1), 0
    while term:
        spend_effort(1)
        found, place = found + term, place + 1
        term = Fraction(int(term * exponent / place * BITS), BITS)
    return found
