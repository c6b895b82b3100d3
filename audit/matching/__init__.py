"""Is this certificate about this claim? The checker, which knows no claims, decides whether the certificate is
correct."""

OWN_CLAIMS = "own/"  # how the names of users' own claims begin


class NotAbout(Exception):
    """The certificate is not about the claim that it names; the message says why."""


def not_in_ledger(name: str) -> str:
    """Returns the message that the claim named by a certificate is unknown. name: of the claim."""
    return f"claim {name!a} is not in this version's ledger"
