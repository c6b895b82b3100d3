"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "tossou18",
    "On The Differential Privacy of Thompson Sampling With Gaussian Prior",
    "Aristide C. Y. Tossou, Christos Dimitrakakis",
    "arXiv 1806.09192, 2018",
    place=12,
    read="from a secondary source",
    seen_in="a picture of its two theorems in other people's notes",
    unseen="the definition of neighbours and the proofs",
    originals=("Abstract",),
    link="https://arxiv.org/abs/1806.09192",
    short="Gaussian prior",
)
