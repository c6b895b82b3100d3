"""The paper of this page."""

from dpbandits.reference.page import Page

page = Page(
    "hu21",
    "Near-Optimal Algorithms for Private Online Learning in a Stochastic Environment",
    "Bingshan Hu, Zhiming Huang, Nishant A. Mehta",
    "arXiv 2021",
    place=7,
    link="https://arxiv.org/abs/2102.07929",
)
SECONDARY = "from a secondary source"  # said in every `where` whose statement was not read in the paper itself
