"""The paper of this page."""

from dpbandits.reference.page import Page

page = Page(
    "azize22",
    "When Privacy Meets Partial Information: A Refined Analysis of Differentially Private Bandits",
    "Achraf Azize, Debabrota Basu",
    "NeurIPS 2022",
    place=6,
    link="https://arxiv.org/abs/2209.02570",
)
SUBMITTED = "as it was submitted"  # the version whose text was at hand
