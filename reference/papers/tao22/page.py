"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "tao22",
    "Optimal Rates of (Locally) Differentially Private Heavy-tailed Multi-Armed Bandits",
    "Youming Tao, Yulian Wu, Peng Zhao, Di Wang",
    "AISTATS 2022",
    place=4,
    link="https://arxiv.org/abs/2106.02575",
    default_policy="DPRUCB",
    short="Heavy tails, private",
)
source = page.source
