"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "hu22",
    "Near-Optimal Thompson Sampling-based Algorithms for Differentially Private Stochastic Bandits",
    "Bingshan Hu, Nidhi Hegde",
    "UAI 2022",
    place=8,
    read="from a secondary source",
    short="Near-optimal Thompson",
)
SECONDARY = page.read  # said in every `where` whose statement was read there
