"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "shariff18",
    "Differentially Private Contextual Linear Bandits",
    "Roshan Shariff, Or Sheffet",
    "NeurIPS 2018",
    place=14,
    read="from a secondary source",
    seen_in="two versions of one public implementation, which agree",
    unseen="the algorithm and the theorems in the paper's own words",
    originals=("Abstract",),
    link="https://arxiv.org/abs/1810.00068",
    short="Private linear UCB",
)
