"""Which private policy should I use? Every private policy of the ledger at one (eps, delta), played side by side."""
