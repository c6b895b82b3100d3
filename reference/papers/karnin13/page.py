"""The paper of this page."""

from dpbandits.reference.page import Page

page = Page(
    "karnin13",
    "Almost Optimal Exploration in Multi-Armed Bandits",
    "Zohar Karnin, Tomer Koren, Oren Somekh",
    "ICML 2013",
    place=11,
)
SECONDARY = "from a secondary source"  # said in every `where` whose statement was not read in the paper itself
