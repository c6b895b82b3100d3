"""The glossary of the report: verdicts, readings, grounds and terms; and the words for a finding's reading, harm and
theorem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from dpbandits import registry
from dpbandits.reference.claims.model import Basis, Reading, Verdict
from dpbandits.reference.claims.records import ClaimRecord, Entry


class ReadingWords(NamedTuple):
    """The words for a reading of a sentence. meaning: what is read. label: in lists. refuted: the verdict REFUTED, at
    the head of a letter to the authors."""

    meaning: str
    label: str
    refuted: str


READINGS: Mapping[str, ReadingWords] = {
    Reading.PRINTED: ReadingWords(
        "what its authors say: the whole sentence, with its qualifiers and preconditions", "as printed", "False"
    ),
    Reading.QUOTED: ReadingWords(
        "as quoted in a secondary source; the paper itself was not at hand", "as quoted elsewhere", "False as quoted"
    ),
    Reading.STEP: ReadingWords(
        "one step of the sentence, which says more: a formula that it states or needs",
        "one step of it",
        "A step of it is false",
    ),
    Reading.LETTER: ReadingWords(
        "to the letter: what the words say, although something else may be meant",
        "to the letter",
        "False in its literal reading; the authors may mean something else",
    ),
    Reading.REPAIRED: ReadingWords("repaired: what the sentence has to be to hold", "repaired", "This repair is false"),
    Reading.OURS: ReadingWords(
        "a statement of ours, which the paper does not make",
        "our statement",
        "This statement, which the paper does not make, is false",
    ),
}
IF_QUOTED_RIGHT = "if the quotation is right"
MADE_BY = {  # how a number was made that no certificate carries, by what the finding rests on
    Basis.KERNEL: "a proof that Rocq's kernel has checked",
    Basis.INTERVALS: "interval arithmetic, which encloses both sides of each step above",
    Basis.DOUBLES: "sums of doubles, rounded outward",
    Basis.ALGEBRA: "exact algebra",
    Basis.ALIGNMENT: "shifts of the noise that compensate for every change of a reward, in rational numbers",
    Basis.EXACT_LAW: "the exact law of what is released, enclosed from below and from above",
    Basis.SAMPLES: "simulated runs, with bounds that fail with at most the stated probability",
    Basis.CITED: "a cited theorem",
    Basis.WORDS: "an argument in words, given above",
}


def theorem_note(finding: Entry) -> str:
    """A sentence with the Rocq theorem, its file and how to have it checked, for a claim that is argued in words.
    "" for all other findings."""
    theorem = finding.get("theorem")
    if not theorem or theorem["checked"] or finding["verdict"] != Verdict.ARGUED:
        return ""
    return (
        f"ARGUED here; a machine-checked proof exists (theorem `{theorem['name']}`, `{theorem['file']}`): "
        "`dpbandits audit --rocq` checks it"
    )


def theorem_page(finding: Entry) -> str:
    """The content of the Rocq theorem that proves the finding's claim; "" if there is none (see `statement_page`)."""
    return statement_page(finding["id"]) if finding.get("theorem") else ""


def statement_page(claim: str) -> str:
    """The stored page about the Rocq theorem that proves the claim with this id; "" if there is none.
    It contains the theorem's statement with all definitions, a lemma that its hypotheses are satisfiable, and its
    axioms, as stored by the extension for the kernel."""
    kernel = registry.added().kernel
    page: str = "" if kernel is None else registry.loaded(kernel.statement_page)(claim)
    return page


GLOSSARY_TERMS: tuple[tuple[str, str], ...] = (
    (
        "eps and delta",
        "A mechanism is (ε, δ)-differentially private if replacing one person's data makes no output more than "
        "e^ε times as likely, up to an additional probability of δ. Both should be small: at ε = 1 a "
        "probability of 10 % becomes at most 27 %; at ε = 40 the guarantee is empty in practice. μ-GDP says: "
        "no easier to distinguish than two normal distributions whose means differ by μ standard deviations.",
    ),
    (
        "trade-off function",
        "Someone sees the output and must tell two neighbouring inputs apart. For a test that wrongly "
        "accuses with probability α (type I error), the trade-off function gives the smallest possible "
        "probability β of wrongly acquitting (type II error). The higher the curve, the better the privacy; "
        "the straight line β = 1 − α is perfect privacy. A privacy claim promises that the truth lies on "
        "or above its curve, so one certified point below the claimed curve refutes it.",
    ),
    (
        "privacy profile",
        "The same information in other coordinates: for every ε, the smallest δ for which the mechanism is "
        "(ε, δ)-differentially private. The lower the curve, the better the privacy. A claim promises that "
        "the truth lies on or below its curve, so one certified point above the claimed curve refutes it.",
    ),
    (
        "exact band",
        "Where the law of the output is known, the true curve of one pair of inputs is computed and "
        "enclosed from below and from above, without sampling error. The band between both is often too "
        "thin to be seen.",
    ),
    (
        "certified point",
        "A measured point together with simultaneous confidence bounds. The dot marks the end of these bounds "
        "that is most favourable to the claim: this is what the run certifies. The faint mark is the measurement "
        "itself.",
    ),
    (
        "resolution",
        "The smallest violation, by a mechanism of the kind that it names, that the run would have detected with "
        "probability 0.9 at its risk. It says how strong a “consistent” is: it applies if the score is that "
        "mechanism's likelihood ratio; with a learnt score the power may be lower.",
    ),
    (
        "risk",
        "An upper bound on the probability that any statistical refutation in the ledger is a false alarm. "
        "It is divided among all statistical tests of the ledger, including those that were not selected for "
        "this run.",
    ),
    (
        "reading",
        "Printed: what the authors say, the whole sentence with its qualifiers and preconditions. As quoted elsewhere: "
        "the sentence, or the algorithm that it is about, was read in a secondary source, which is named, because the "
        "paper was not at hand. One step of it: a formula or one step of a proof that the sentence needs; the sentence "
        "says more. To the letter: what the words say, although something else is meant. Repaired: what the sentence "
        "has to be to hold. Ours: a statement that the paper does not make.",
    ),
    (
        "T, K, N, b, c and eta",
        "T: the number of rounds (the horizon). K, in some papers N: the number of arms. b: pre-pulls, the number of "
        "times that Thompson sampling pulls each arm before it looks at any reward. c: the factor of the variance "
        "c/(n + 1) with which Thompson sampling draws for an arm that was pulled n times. η: the μ-GDP parameter to "
        "which b and c are tuned; larger b and c make it smaller, so the privacy better.",
    ),
    (
        "threshold game",
        "An optimisation problem that bounds the privacy loss of a whole run of Thompson sampling. In every round an "
        "adversary chooses the threshold that the sample of the arm with the changed reward has to exceed. No two "
        "neighbouring inputs are easier to distinguish than this adversary can make it; the value of the game is "
        "computed with certified rounding.",
    ),
    (
        "static potential",
        "An upper bound on the value of the threshold game by a formula: it takes seconds for any horizon, and gives "
        "a somewhat larger ε.",
    ),
    (
        "positive control",
        "A statement known to be false, which the audit is expected to refute. If it is not refuted, "
        "the audit has lost power.",
    ),
    (
        "certificate",
        "A refutation as plain data: the inputs, the event and enclosures of both sides of the violated "
        "inequality. The command next to it re-checks the data without the search that found them.",
    ),
)


class Word(NamedTuple):
    """A verdict as displayed: its name, a short meaning, and the full meaning."""

    name: str
    short: str
    full: str


VERDICTS: Mapping[str, Word] = {
    Verdict.REFUTED: Word(
        "refuted",
        "shown to be false",
        "The statement, in the reading given, is false. The finding carries a certificate, which a small "
        "independent checker can verify, or says what else shows it: an exact law, an argument in words, or a "
        "statistically certified point, which is wrong with no more than the stated risk.",
    ),
    Verdict.PROVED: Word(
        "proved",
        "shown to be true by machine",
        "The statement was decided by exact or interval arithmetic over the whole stated domain, or by a proof that "
        "Rocq's kernel has checked, or follows from statements that were, by a cited theorem. The finding names all "
        "that it rests on.",
    ),
    Verdict.ARGUED: Word(
        "argued",
        "shown to be true by an argument in words",
        "An argument in words carries the statement, or one that it follows from; the argument's steps are checked "
        "by machine where that is possible. The finding contains the words, so that you can check them.",
    ),
    Verdict.CONSISTENT: Word(
        "consistent",
        "not refuted by a test that could have failed",
        "An attempt to refute the statement failed. The resolution says how large a violation would have "
        "had to be for this attempt to find it; smaller ones remain possible. Consistent does not mean "
        "proved.",
    ),
    Verdict.NOT_APPLICABLE: Word(
        "not applicable",
        "a precondition is false",
        "The statement assumes something that is false for what was examined, so it makes no claim about it.",
    ),
    Verdict.NOT_EXERCISED: Word(
        "not exercised",
        "the test had no power here",
        "The observed output never varied, or the profile excludes runs of this length, so nothing was tested. This "
        "is a gap in the audit and no evidence for the statement.",
    ),
    Verdict.UNSUPPORTED: Word(
        "unsupported",
        "no method decides statements of this kind",
        "The statement is listed so that the ledger is complete, but no method here can decide it.",
    ),
}


def read_as(finding: ClaimRecord) -> str:
    """Returns the words that a page prints after "read" for the claim's reading: "as printed", "literally: ...".
    With the secondary source, if one was read."""
    reading, scope = finding["reading"], finding["scope"]
    how = "as a statement of ours" if reading == Reading.OURS else READINGS[reading].label
    seen = seen_in(finding)
    if reading == Reading.QUOTED:
        how = seen
    elif seen:
        how = f"{how}, {seen}"
    return f"{how}: {scope}" if scope else how


def reading_in_full(finding: ClaimRecord) -> str:
    """Returns the meaning of the claim's reading in words, with the secondary source if one was read."""
    seen = seen_in(finding)
    if finding["reading"] == Reading.QUOTED:
        return seen
    return "; ".join(filter(None, (READINGS[finding["reading"]].meaning, seen and f"the paper's sentence {seen}")))


def seen_in(finding: ClaimRecord) -> str:
    """The secondary source in which the sentence was read, and the part of the paper that was not available.
    "as quoted in ... (not seen: ...)"; "" if the paper itself was read."""
    if not finding.get("seen_in"):
        return ""
    unseen = f" (not seen: {finding['unseen']})" if finding.get("unseen") else ""
    return f"as quoted in {finding['seen_in']}{unseen}"


def hedged_harm(finding: ClaimRecord) -> str:
    """Returns the consequences of the claim's error in words.
    If a secondary source was read, they are stated on the condition that it quotes the paper correctly."""
    harm = str(finding["harm"])
    return f"{IF_QUOTED_RIGHT}, {harm}" if harm and finding.get("seen_in") else harm
