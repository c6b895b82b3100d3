"""The paper of this page."""

from dpbandits.reference.page import Page

page = Page(
    "sajed19",
    "An Optimal Private Stochastic-MAB Algorithm Based on Optimal Private Stopping Rule",
    "Touqir Sajed, Or Sheffet",
    "ICML 2019",
    place=3,
)
SECONDARY = "from a secondary source"  # said in every `where` whose statement was not read in the paper itself
