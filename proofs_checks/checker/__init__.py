"""The checker: is this certificate correct? It recomputes everything that a certificate states, and does not trust the
program that produced it.

This folder reads certificates from any source and recomputes their content. The folder (with the schema in it) can be
copied anywhere by itself: it needs the standard library, mpmath and jsonschema, and imports nothing else of this
project. All numbers are decimal strings, read exactly; expressions are parsed, never executed; every probability is
recomputed as an interval at 60 digits, by formulas other than those that produced it. Writing certificates, and
deciding whether a certificate is about a claim, happens elsewhere.

- `verification`: the entry point: determines the kind of a certificate, and reports the result
- `untrusted`: limits on the form and size of a certificate, and on the work of checking it
- `intervals`, `normal`, `expressions`, `quadrature`: enclosures of numbers, of Phi, of expressions, of integrals
- `agreement`: checks that stored numbers agree with recomputed ones, and show the violation
- one file for each kind: `formula`, `noisy_maximum` (kind "step"), `releases` (with `selections`, `integrals`,
  `wedges`: the probabilities of their steps), `alignment`, `finite`, `merged_alignment` (kind "alignment-states")

Extensions add kinds, which are passed to `verify`: see `dpbandits.proofs_checks.certificates`.
"""
