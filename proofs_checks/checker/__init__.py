"""Is this certificate correct? Each checker recomputes what a certificate states, and trusts nothing that produced it.

What belongs here: reading certificates from anybody, and recomputing what they say. This folder (with the schema in
it) can be copied anywhere by itself: it needs the standard library, mpmath and jsonschema, and imports nothing else of
this project. All numbers are decimal strings, read exactly; expressions are parsed, never executed; every
probability is recomputed as an interval at 60 digits, by formulas other than those of the rest. What does not belong
here: writing certificates, and asking whether one is about a claim.

- `verification`: the entry point: determines the kind of a certificate, and reports the result
- `untrusted`: limits on the form and size of a certificate, and on the work of checking it
- `intervals`, `normal`, `expressions`, `quadrature`: enclosures of numbers, of Phi, of expressions, of integrals
- `agreement`: stored numbers agree with recomputed ones, and show the violation
- one file for each kind: `formula`, `noisy_maximum` (kind "step"), `transcripts`, `releases` (with `selections`,
  `integrals`, `wedges`: the chances of their steps), `alignment`, `finite`, `merged_alignment` (kind
  "alignment-states")

Extensions have further kinds, which `verify` is given: see `dpbandits.proofs_checks.certificates`.
"""
