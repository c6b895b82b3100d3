"""Claims: their data and vocabulary (`model`), the chapters of a paper (`paper`), and all papers together (`ledger`).
Papers and checks are elsewhere."""
