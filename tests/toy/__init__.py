"""A page for tests of the runner, the command line and the pytest plugin. Its claims are checked in milliseconds, and
their checks end in every way in which a check can end: the name of a claim says how.

    dpbandits claims --page tests/toy
    dpbandits audit --page tests/toy toy/proved toy/refuted

The claims are in `claims`; how their checks end is in `proofs`.
"""
