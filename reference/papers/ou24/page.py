"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "ou24",
    "Thompson Sampling Itself is Differentially Private",
    "Tingting Ou, Marco Avella Medina, Rachel Cummings",
    "AISTATS 2024, PMLR 238",
    place=1,
    link="https://arxiv.org/abs/2407.14879",
    # How much privacy there is, beside what is promised.
    headlines=("theorem-3/game/thousand", "theorem-3/game", "lemma-3/attained"),
    default_policy="ThompsonSampling",
    short="Thompson itself private",
)
