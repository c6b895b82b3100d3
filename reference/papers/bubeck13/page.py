"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "bubeck13",
    "Bandits with Heavy Tail",
    "Sebastien Bubeck, Nicolo Cesa-Bianchi, Gabor Lugosi",
    "IEEE Transactions on Information Theory 59, 2013",
    place=10,
    read="from a secondary source",
    short="Heavy tails",
)
SECONDARY = page.read  # said in every `where` whose statement was read there
