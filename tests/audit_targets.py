"""One instance of a claim, audited as the judge does it, for tests of what an audit target spends and says."""

from __future__ import annotations

from typing import Any

from dpbandits.audit.judges.effort import Run
from dpbandits.audit.privacy.instances import audit_target_of
from dpbandits.audit.privacy.pipeline import AuditedInstance, audit_target
from dpbandits.audit.privacy.result import Result
from dpbandits.reference.claims.model import Private
from dpbandits.reference.curves import Curve


def audit_as(subject: Any, says: Private, curve: Curve, run: Run, site: tuple[str, str]) -> Result:
    """site: the claim's id, and the instance."""
    return audit_target(site[1], curve, audit_target_of(subject, says, AuditedInstance(*site, curve, run)))
