"""How the theorems of Rocq about locally private algorithms are to be read."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.theorems import EXPECTATIONS

ALGORITHM = f"""local_algorithm: in each round the algorithm chooses one of K arms at random (choice), the user with
the reward x sends a message with the law channel h a x, and both may depend on the arms and messages h of all
earlier rounds. channel_private says that each channel is eps-LDP: for all rewards x and y and every event, the
probability of the event under x is at most e^eps times that under y. channel_measurable says that the law of the
message is a measurable function of the reward. Messages are points of any sample space Z. Arms are numbered from 0.
D a is the law of the rewards of arm a, and expected alg D T f is E f of the arms and messages of T rounds: one
average after another, over the choice, the reward and the message of each round. That these averages are of
measurable functions is a hypothesis (pulls_measurable, measurable). If all laws are countably additive and the
algorithm is measurable, Fubini's theorem says so, which Rocq has not checked. {EXPECTATIONS}"""
REGRET = """regret is the sum over the arms of Delta_a E N_a(T), where Delta_a (gap_of) is the difference between
the largest mean and that of arm a. Rewards are real numbers. In real_numbers every function of them is measurable,
as it is for laws with finitely many values, such as those of the proofs; two_valued P p x says that P is the law of
x with probability p and of 0 otherwise. moment_at_most_1 is E|X|^(1+v) <= 1, which is u <= 1 in (2)."""
SIMPLE = """simple D says that each arm pays one amount with some probability, and else 0. pulls_measurable is required
on such instances only. Their laws are countably additive, so every measurable algorithm satisfies it."""
FAMILY = """alg T is the algorithm for the horizon T, so it may know T, and one algorithm for all T is a special
case."""
HISTORIES = """histories_divergence_at_most states that KL of the histories is at most d, in the form of Donsker and
Varadhan: KL is the supremum of E f - ln E' e^f over bounded measurable functions f of the history. That this
supremum is KL is a theorem that Rocq has not checked."""
SMALL_REGRET = """below_all_powers says that the regret is o(T^alpha) for every alpha > 0, and is required on all of
these instances. liminf_per_log f c says that lim inf f(T)/log T >= c. The witness is an algorithm with regret O(log
T) on two instances."""
