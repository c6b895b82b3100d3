"""Is this certificate about this claim? Whether it is right is for the checker to say, which knows no claims."""


class NotAbout(Exception):
    """The certificate is not about the claim that it names; the message says why."""
