"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "bubeck13",
    "Bandits with Heavy Tail",
    "Sebastien Bubeck, Nicolo Cesa-Bianchi, Gabor Lugosi",
    "IEEE Transactions on Information Theory 59, 2013",
    place=10,
    read="from a secondary source",
    seen_in="texts of others that restate the algorithm and its bound",
    unseen="the paper itself, so that the theorem's words are not quoted",
    short="Heavy tails",
)
