"""Does it do what the reference does? By its law, state by state, or by replay, draw by draw.

`follows_law` needs nothing of the policy but that it can be played: no law, no noise sites of ours. Whatever the policy
released, the reference is led along the same pulls, and says what the law of the next release ought to have been.
"""

from dpbandits.audit.conformance.draws import replay
from dpbandits.audit.conformance.games import probes
from dpbandits.audit.conformance.law import follows_law

__all__ = ["follows_law", "probes", "replay"]
