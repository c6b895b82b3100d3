"""The paper of this page."""

from dpbandits.reference.page import Page

page = Page(
    "hu22",
    "Near-Optimal Thompson Sampling-based Algorithms for Differentially Private Stochastic Bandits",
    "Bingshan Hu, Nidhi Hegde",
    "UAI 2022",
    place=8,
)
SECONDARY = "from a secondary source"  # said in every `where` whose statement was not read in the paper itself
