"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "sajed19",
    "An Optimal Private Stochastic-MAB Algorithm Based on Optimal Private Stopping Rule",
    "Touqir Sajed, Or Sheffet",
    "ICML 2019",
    place=3,
    read="from a secondary source",
    link="https://arxiv.org/abs/1905.09383",
    default_policy="DPSE",
    short="Stopping rule",
)
SECONDARY = page.read  # said in every `where` whose statement was read there
