"""Comparison of private policies: every private policy of the ledger at one (eps, delta), played side by side."""
