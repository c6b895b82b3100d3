"""Is this certificate about this claim? Whether the certificate is correct is decided by the checker, which knows no
claims."""

OWN_CLAIMS = "own/"  # how the names of users' own claims begin


class NotAbout(Exception):
    """The certificate is not about the claim that it names; the message says why."""


def not_in_ledger(name: str) -> str:
    """That the claim which a certificate names is not known."""
    return f"claim {name!a} is not in this version's ledger"
