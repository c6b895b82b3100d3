"""then_laplace_threshold: with integer counts, delta of the privacy map is too small."""

import math

import opendp.prelude as dp

dp.enable_features("contrib")
space = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
release = dp.t.make_count_by(*space) >> dp.m.then_laplace_threshold(scale=1.0, threshold=5)
keys = [str(k) for k in range(200_000)]  # each key has one record: without it, the key cannot be released
eps, delta = release.map(1)
share = len(release(keys)) / len(keys)
print(f"privacy map: eps = {eps}, delta = {delta:.6f}; a key with count 1 is released with probability {share:.5f}")
reaches, exceeds = (math.exp(-z) / (1 + math.exp(-1)) for z in (4, 5))
print(f"P[1 + Z >= 5] = {reaches:.5f}, P[1 + Z > 5] = {exceeds:.5f}")
if share > 1.5 * delta:
    raise SystemExit("one record reveals itself with a probability above delta: counts equal to 5 are released")
