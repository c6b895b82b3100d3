// Linear Thompson sampling (Agrawal and Goyal 2013, Algorithm 1), a bandit with contexts, over dpbandits' JSON lines.
// node linear.js         the algorithm
// node linear.js --vectors tapes.json   plays dpbandits' golden tapes instead, and says how many came out right
// node linear.js --bug   the same with a planted bug: B^-1 taken for the root of the samples' covariance B^-1
"use strict";
const bug = process.argv.includes("--bug");
let runs = [];

// Two rounds of a 32-bit mixer over a counter, which are enough for an example.
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

const dot = (x, y) => x.reduce((sum, each, i) => sum + each * y[i], 0);

// The lower triangle L with L L' = B.
function cholesky(B) {
  const L = B.map((row) => row.map(() => 0));
  B.forEach((row, i) => {
    for (let j = 0; j <= i; j++) {
      const left = row[j] - dot(L[i].slice(0, j), L[j]);
      L[i][j] = i === j ? Math.sqrt(left) : left / L[j][j];
    }
  });
  return L;
}

// x with L x = b, and with L' x = b.
function forward(L, b) {
  const x = [];
  b.forEach((each, i) => x.push((each - dot(x, L[i])) / L[i][i]));
  return x;
}
function backward(L, b) {
  const x = b.map(() => 0);
  for (let i = b.length - 1; i >= 0; i--) {
    x[i] = (b[i] - b.reduce((sum, _, j) => (j > i ? sum + L[j][i] * x[j] : sum), 0)) / L[i][i];
  }
  return x;
}

function begin(d, scale, normal) {
  return { B: [...Array(d)].map((_, i) => [...Array(d)].map((_, j) => +(i === j))), f: Array(d).fill(0), scale, normal };
}

// seen: the features of every arm. noise: a standard normal number for every feature.
function select(run, seen, noise) {
  const L = cholesky(run.B);
  const shift = noise.map((z) => run.scale * z);
  const centre = forward(L, run.f);
  const sample = bug
    ? backward(L, centre.map((each, i) => each + forward(L, shift)[i]))
    : backward(L, centre.map((each, i) => each + shift[i]));
  const values = seen.map((x) => dot(x, sample));
  return values.indexOf(Math.max(...values));
}

function update(run, x, reward) {
  run.B.forEach((row, i) => row.forEach((_, j) => (row[j] += x[i] * x[j])));
  run.f.forEach((_, i) => (run.f[i] += reward * x[i]));
}

const answers = {
  init(message) {
    if (!message.contexts) return { error: "this program sees contexts, in version 3: hold it against a policy with contexts" };
    const scale = message.parameters.scale ?? 1;
    runs = message.seeds.map((seed) => begin(message.contexts, scale, generator(seed)));
    return { done: true, version: 3 };
  },
  act(message) {
    const arms = runs.map((run, k) => select(run, message.contexts[k], run.f.map(() => run.normal())));
    return { arms };
  },
  learn(message) {
    message.arms.forEach((arm, k) => update(runs[k], message.contexts[k][arm], message.rewards[k]));
    return { done: true };
  },
};

// Whether the arms of every step follow from the tape's contexts, noise and rewards.
function follows(tape) {
  const run = begin(tape.parameters.contexts, tape.parameters.scale, null);
  const pulls = Array(tape.parameters.arms).fill(0);
  return tape.noise.every((draw, step) => {
    const seen = tape.contexts[step];
    const arm = select(run, seen, draw.values);
    update(run, seen[arm], tape.rewards[arm][pulls[arm]++]);
    return tape.released[step][arm] === 1;
  });
}

const at = process.argv.indexOf("--vectors");
if (at > 0) {
  const { vectors } = JSON.parse(require("node:fs").readFileSync(process.argv[at + 1], "utf8"));
  const tapes = vectors.filter((each) => each.policy === "agrawal13.LinearThompsonSampling");
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
