"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "hu22",
    "Near-Optimal Thompson Sampling-based Algorithms for Differentially Private Stochastic Bandits",
    "Bingshan Hu, Nidhi Hegde",
    "UAI 2022",
    place=8,
    read="from a secondary source",
    seen_in="texts of others that restate the algorithm",
    unseen="the algorithm and the proofs in the paper's own words",
    originals=("Abstract",),
    short="Near-optimal Thompson",
)
