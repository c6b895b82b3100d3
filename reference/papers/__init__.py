"""What does this paper say? Each paper of the ledger is a package, named by its key.

A package contains `page`, the algorithms, one module for each chapter or long statement, and `claims`, which lists the
chapters in order. `claims.ledger` loads a package when one of its claims is needed. No module imports all packages, so
no page depends on another.
"""
