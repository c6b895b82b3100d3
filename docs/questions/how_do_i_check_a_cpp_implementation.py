"""
How do I check a C++ implementation?
====================================

A program in any language can be checked if it reads and writes lines of JSON.
``dpbandits examples`` writes such a program for Thompson sampling in C++. The option
``--bug`` of this program makes its last step greedy: the last step draws no samples.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

from dpbandits import Bernoulli, Seeded, follows_law, from_program, play
from dpbandits.papers.ou24 import ThompsonSampling

ARMS, HORIZON, RUNS = 2, 6, 20_000

# %%
# Compile the program. If there is no compiler, this page checks the example in Python,
# which uses the same protocol.

folder = TemporaryDirectory()
subprocess.run(
    [sys.executable, "-m", "dpbandits", "examples", folder.name],
    check=True,
    stdout=subprocess.DEVNULL,
)
source = Path(folder.name, "thompson.cpp")
compiler = shutil.which("g++")
if compiler:
    program = [str(source.with_suffix(""))]
    subprocess.run(
        [compiler, "-O2", "-std=c++17", "-o", *program, str(source)], check=True
    )
else:
    program = [sys.executable, str(source.with_suffix(".py"))]
print("C++" if compiler else "no g++ here: the example in Python")

# %%
# Two programs, one without and one with the bug, are compared with the exact law of the
# algorithm.

reference = ThompsonSampling(ARMS, HORIZON)
policies = {
    "as published": from_program(program, arms=ARMS, horizon=HORIZON),
    "with a bug": from_program([*program, "--bug"], arms=ARMS, horizon=HORIZON),
}
findings = {
    name: follows_law(policy, reference, trials=RUNS)
    for name, policy in policies.items()
}
for name, finding in findings.items():
    print(f"{name}: {finding.verdict}. {finding.summary}")

# %%
# The picture
# -----------
#
# The picture shows how often each program pulls the better arm in each step. The grey
# line is the reference implementation in Python.

environment = Bernoulli((0.8, 0.2))
figure, axes = plt.subplots(figsize=(6.4, 3.6))
steps = np.arange(1, HORIZON + 1)
for name, policy, style in (
    ("reference", reference, {"color": "0.7", "linewidth": 6}),
    ("as published", policies["as published"], {"color": "C0", "marker": "o"}),
    (
        "with a bug",
        policies["with a bug"],
        {"color": "C3", "marker": "o", "linestyle": "--"},
    ),
):
    runs = 10 * RUNS if policy is reference else RUNS
    share = (
        play(policy, environment, Seeded(1, runs), runs).released[:, :, 0].mean(axis=0)
    )
    axes.plot(steps, share, label=name, **style)
axes.set(xlabel="step", ylabel="share of runs that pull the better arm", xticks=steps)
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
plt.show()
folder.cleanup()

# %%
# The answer
# ----------

good, bad = findings.values()
print(f"The published program: {good.verdict} with the exact law of the algorithm,")
print(
    f"with {RUNS} runs in each environment. With a bug in its last step: {bad.verdict}."
)
