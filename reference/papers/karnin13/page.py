"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "karnin13",
    "Almost Optimal Exploration in Multi-Armed Bandits",
    "Zohar Karnin, Tomer Koren, Oren Somekh",
    "ICML 2013",
    place=11,
    read="from a secondary source",
    short="Almost optimal exploration",
)
SECONDARY = page.read  # said in every `where` whose statement was read there
