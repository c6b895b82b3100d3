// Thompson sampling with Gaussian priors (Ou et al. 2024, Algorithm 1), over dpbandits' JSON lines.
// node thompson.js         the algorithm
// node thompson.js --vectors tapes.json   plays dpbandits' golden tapes instead, and says how many came out right
// node thompson.js --bug   the same with a planted bug: 1/(n + 1) taken for the deviation, where it is the variance
"use strict";
const bug = process.argv.includes("--bug");
let runs = [];

// splitmix64 in 32-bit halves would be long; two rounds of a 32-bit mixer over a counter are enough for an example.
function generator(seed) {
  let state = [seed % 4294967296, Math.floor(seed / 4294967296)];
  const next = () => {
    state[0] = (state[0] + 0x9e3779b9) | 0;
    let z = state[0] ^ Math.imul(state[1] + 0x7f4a7c15, 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
  const uniform = () => (next() * 2097152 + (next() >>> 11) + 0.5) / 9007199254740992;
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

function select(run, noise) {
  let best = 0, most = -Infinity;
  run.pulls.forEach((n, arm) => {
    const spread = bug ? 1 / (n + 1) : Math.sqrt(1 / (n + 1));
    const theta = run.total[arm] / (n + 1) + spread * noise(arm);
    if (theta > most) [best, most] = [arm, theta];
  });
  return best;
}

function update(run, arm, reward) {
  run.pulls[arm] += 1;
  run.total[arm] += reward;
}

const answers = {
  init(message) {
    runs = message.seeds.map((seed) => ({
      normal: generator(seed),
      pulls: new Array(message.arms).fill(0),
      total: new Array(message.arms).fill(0),
    }));
    return { done: true };
  },
  act() {
    return { arms: runs.map((run) => select(run, run.normal)) };
  },
  learn(message) {
    if (!message.arms) return { error: "this program learns from single pulls" };
    message.arms.forEach((arm, k) => update(runs[k], arm, message.rewards[k]));
    return { done: true };
  },
};

// Whether the arms of every step follow from the tape's noise and rewards.
function follows(tape) {
  const run = { pulls: new Array(tape.parameters.arms).fill(0), total: new Array(tape.parameters.arms).fill(0) };
  return tape.noise.every((draw, step) => {
    const arm = select(run, (k) => draw.values[k]);
    update(run, arm, tape.rewards[arm][run.pulls[arm]]);
    return tape.released[step][arm] === 1;
  });
}

const at = process.argv.indexOf("--vectors");
if (at > 0) {
  const { vectors } = JSON.parse(require("node:fs").readFileSync(process.argv[at + 1], "utf8"));
  const tapes = vectors.filter((each) => each.policy === "ou24.ThompsonSampling");
  const right = tapes.filter(follows).length;
  console.log(`${right} of ${tapes.length} tapes`);
  process.exitCode = right < tapes.length ? 1 : 0;
} else {
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    const answer = answers[message.do] ? answers[message.do](message) : { error: `unknown request ${message.do}` };
    process.stdout.write(JSON.stringify(answer) + "\n");
  });
}
