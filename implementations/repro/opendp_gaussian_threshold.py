"""then_gaussian_threshold: with integer counts, delta of the privacy map is too small."""

import math

import opendp.prelude as dp

dp.enable_features("contrib")
domain = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
metric = dp.l02inf_distance(dp.absolute_distance(T=int))
release = (domain, metric) >> dp.m.then_gaussian_threshold(scale=2.0, threshold=5)
counts = {str(k): 1 for k in range(200_000)}  # at distance (1, 1, 1) each key may be absent: then it is not released
delta = release.map((1, 1, 1))[1]
share = len(release(counts)) / len(counts)
weights = {z: math.exp(-z * z / 8) for z in range(-40, 41)}
tail = sum(weights[z] for z in range(4, 41)) / sum(weights.values())
print(f"privacy map: delta = {delta:.5f}; a key with count 1 is released with probability {share:.5f}")
print(f"P[1 + Z >= 5] = {tail:.5f}, P[1 + Z > 5] = {tail - weights[4] / sum(weights.values()):.5f}")
if share > 1.2 * delta:
    raise SystemExit("a key reveals itself with a probability above delta: counts equal to 5 are released")
