"""The paper of this page."""

from dpbandits.reference.claims.paper import Page

page = Page(
    "chen24",
    "Fixed-Budget Differentially Private Best Arm Identification",
    "Zhirui Chen, P. N. Karthik, Yeow Meng Chee, Vincent Y. F. Tan",
    "ICLR 2024",
    place=5,
    link="https://arxiv.org/abs/2401.09073",
    short="Private best arm",
)
