"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "hu21",
    "Near-Optimal Algorithms for Private Online Learning in a Stochastic Environment",
    "Bingshan Hu, Zhiming Huang, Nishant A. Mehta",
    "arXiv 2021",
    place=7,
    read="from a secondary source",
    seen_in="texts of others, with parts of the index",
    unseen="the algorithm and the proofs in the paper's own words",
    originals=("Abstract",),
    link="https://arxiv.org/abs/2102.07929",
    short="Near-optimal online",
)
