"""The pages that joined the ledger, in the order in which they did.

Each is a package of this one: its `page`, its algorithms, a file a chapter, and `claims`, which puts the chapters in
order. `reference.library` opens them; nothing else imports all of them, so that no page depends on another.
"""

JOINED: tuple[str, ...] = (
    "ou24",
    "hu25",
    "sajed19",
    "tao22",
    "chen24",
    "azize22",
    "hu21",
    "hu22",
    "auer02",
    "bubeck13",
    "karnin13",
    "tossou18",
)
