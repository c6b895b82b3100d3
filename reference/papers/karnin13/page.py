"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "karnin13",
    "Almost Optimal Exploration in Multi-Armed Bandits",
    "Zohar Karnin, Tomer Koren, Oren Somekh",
    "ICML 2013",
    place=11,
    read="from a secondary source",
    seen_in="texts of others that restate the algorithm and its bound",
    unseen="the paper itself, so that the theorem's words are not quoted",
    short="Almost optimal exploration",
)
