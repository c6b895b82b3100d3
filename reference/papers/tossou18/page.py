"""The paper of this page."""

from dpbandits.reference.page import Page

page = Page(
    "tossou18",
    "On The Differential Privacy of Thompson Sampling With Gaussian Prior",
    "Aristide C. Y. Tossou, Christos Dimitrakakis",
    "arXiv 1806.09192, 2018",
    place=12,
    link="https://arxiv.org/abs/1806.09192",
)
SECONDARY = "from a secondary source"  # said in every `where` whose statement was not read in the paper itself
