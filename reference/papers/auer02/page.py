"""The paper of this page."""

from dpbandits.reference.page import Page

page = Page(
    "auer02",
    "Finite-time Analysis of the Multiarmed Bandit Problem",
    "Peter Auer, Nicolo Cesa-Bianchi, Paul Fischer",
    "Machine Learning 47, 2002",
    place=9,
)
SECONDARY = "from a secondary source"  # said in every `where` whose statement was not read in the paper itself
