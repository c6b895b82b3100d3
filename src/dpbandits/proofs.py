"""What the author of a proof needs: where a proof says which claims it decides, and the ladder that formulas climb."""

from dpbandits.proofs_checks.formulas.effort import Effort as Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs as Proofs
