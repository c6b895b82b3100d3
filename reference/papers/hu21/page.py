"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "hu21",
    "Near-Optimal Algorithms for Private Online Learning in a Stochastic Environment",
    "Bingshan Hu, Zhiming Huang, Nishant A. Mehta",
    "arXiv 2021",
    place=7,
    read="from a secondary source",
    link="https://arxiv.org/abs/2102.07929",
    short="Near-optimal online",
)
SECONDARY = page.read  # said in every `where` whose statement was read there
