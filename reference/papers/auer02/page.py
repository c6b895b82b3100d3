"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "auer02",
    "Finite-time Analysis of the Multiarmed Bandit Problem",
    "Peter Auer, Nicolo Cesa-Bianchi, Paul Fischer",
    "Machine Learning 47, 2002",
    place=9,
    read="from a secondary source",
    seen_in="texts of others that restate UCB1 and its theorem",
    unseen="the paper itself",
    short="Finite-time analysis",
)
