"""Chen, Karthik, Chee, Tan: Fixed-Budget Differentially Private Best Arm Identification (ICLR 2024, arXiv 2401.09073).

log is natural: only so is lambda = 27.65 in Appendix B. Ties go to the lowest index. The claims stand in `claims`.
"""
