"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "auer02",
    "Finite-time Analysis of the Multiarmed Bandit Problem",
    "Peter Auer, Nicolo Cesa-Bianchi, Paul Fischer",
    "Machine Learning 47, 2002",
    place=9,
    read="from a secondary source",
    short="Finite-time analysis",
)
SECONDARY = page.read  # said in every `where` whose statement was read there
