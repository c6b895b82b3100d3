"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "azize22",
    "When Privacy Meets Partial Information: A Refined Analysis of Differentially Private Bandits",
    "Achraf Azize, Debabrota Basu",
    "NeurIPS 2022",
    place=6,
    read="as it was submitted",
    link="https://arxiv.org/abs/2209.02570",
    short="Partial information",
)
SUBMITTED = page.read  # said in every `where` whose statement was read there
