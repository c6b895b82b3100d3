"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "sajed19",
    "An Optimal Private Stochastic-MAB Algorithm Based on Optimal Private Stopping Rule",
    "Touqir Sajed, Or Sheffet",
    "ICML 2019",
    place=3,
    read="from a secondary source",
    seen_in="three public implementations of the algorithm, which agree",
    unseen="the algorithm, the theorems and the proofs in the paper's own words",
    originals=("Abstract",),
    link="https://arxiv.org/abs/1905.09383",
    default_policy="DPSE",
    short="Stopping rule",
)
