"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "agrawal13",
    "Thompson Sampling for Contextual Bandits with Linear Payoffs",
    "Shipra Agrawal, Navin Goyal",
    "ICML 2013",
    place=13,
    read="from a secondary source",
    seen_in="notes on the paper by other authors",
    unseen="the algorithm and the proofs in the paper's own words",
    originals=("Abstract",),
    link="https://arxiv.org/abs/1209.3352",
    short="Linear Thompson sampling",
)
