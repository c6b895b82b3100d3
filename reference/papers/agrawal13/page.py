"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "agrawal13",
    "Thompson Sampling for Contextual Bandits with Linear Payoffs",
    "Shipra Agrawal, Navin Goyal",
    "ICML 2013",
    place=13,
    read="from a secondary source",
    link="https://arxiv.org/abs/1209.3352",
    short="Linear Thompson sampling",
)
SECONDARY = page.read  # said in every `where` whose statement was read there
