"""For authors of proofs: how a proof states which claims it decides, and the methods that decide formulas."""

import dpbandits.former_names
from dpbandits.proofs_checks.formulas.effort import Effort as Effort
from dpbandits.proofs_checks.formulas.methods import judge_by_methods as judge_by_methods
from dpbandits.proofs_checks.formulas.proofs import Proofs as Proofs
from dpbandits.reference.claims.records import text_item as text_item

__getattr__ = dpbandits.former_names.attributes_by_former_names(__name__, {"climb": "judge_by_methods"})
