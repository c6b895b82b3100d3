"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "hu25",
    "Connecting Thompson Sampling and UCB: Towards More Efficient Trade-offs Between Privacy and Regret",
    "Bingshan Hu, Zhiming Huang, Tianyue H. Zhang, Mathias Lecuyer, Nidhi Hegde",
    "ICML 2025",
    place=2,
    link="https://arxiv.org/abs/2505.02383",
    default_policy="DPTSUCB",
    short="Thompson meets UCB",
)
