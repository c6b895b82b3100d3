"""What does this paper say? A package a page that joined the ledger, found by its name, which is its key.

In each: `page`, its algorithms, a file a chapter, or a statement of a long one, and `claims`, which puts the chapters
in order. `claims.ledger` loads one when somebody asks for a claim of it; nothing imports all of them, so that no page
depends on another.
"""
