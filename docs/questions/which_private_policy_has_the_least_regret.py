"""
Which private policy has the least regret at my T and gap?
==========================================================

This page compares private policies on two arms that pay 1 with probabilities 0.8 and
0.5, over T = 1000 pulls. ``dpbandits compare`` sets the parameters of every private
policy so that the policy is (1, 1e-6)-DP, and simulates all policies.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt

QUESTION = "--arms 2 --means 0.8,0.5 --horizon 1000 --eps 1 --delta 1e-6 --runs 200"

with TemporaryDirectory() as folder:
    file = Path(folder, "comparison.json")
    command = [
        sys.executable,
        "-m",
        "dpbandits",
        "compare",
        *QUESTION.split(),
        "--json",
        str(file),
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (comparison,) = json.loads(file.read_text(encoding="utf-8"))["comparisons"]

# %%
# The picture
# -----------
#
# All confidence intervals hold simultaneously with probability 0.99. Baseline policies,
# which do not learn or are not private, are grey.

standing = {each["name"]: each["standing"] for each in comparison["candidates"]}
measured = [
    each for each in comparison["measured"] if each["quantity"] == "pseudo-regret"
]
measured.sort(key=lambda each: -each["mean"])
best = set(comparison["advice"]["ties"]) | {comparison["advice"]["policy"]}

figure, axes = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
for place, each in enumerate(measured):
    baseline = standing[each["policy"]] == "baseline"
    color = "0.6" if baseline else "C0" if each["policy"] in best else "C1"
    axes.plot([each["low"], each["high"]], [place, place], color=color, linewidth=2)
    axes.plot(each["mean"], place, "o", color=color)
axes.set_yticks(range(len(measured)), [each["policy"] for each in measured])
axes.set(xlabel="regret after 1000 pulls", xlim=(0, None))
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The answer
# ----------

mean = {each["policy"]: each["mean"] for each in measured}
private = {name: value for name, value in mean.items() if standing[name] == "ranked"}
least = min(private, key=private.__getitem__)
turns = mean["arms in turns"]
print(comparison["advice"]["sentence"])
print(
    f"{least} has the smallest mean regret, {private[least]:.0f}; pulling the arms in "
    f"turns has mean regret {turns:.0f}."
)
