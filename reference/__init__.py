"""What the papers say: the ledger, the policies, the pages. Judges nothing."""
