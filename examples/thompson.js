// Thompson sampling with Gaussian priors (Ou et al. 2024, Algorithm 1), over dpbandits' JSON lines.
// node thompson.js         the algorithm
// node thompson.js --bug   the same with a planted bug: 1/(n + 1) taken for the deviation, where it is the variance
"use strict";
const lines = require("node:readline").createInterface({ input: process.stdin });

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
    return {
      arms: runs.map((run) => {
        let best = 0, most = -Infinity;
        run.pulls.forEach((n, arm) => {
          const spread = bug ? 1 / (n + 1) : Math.sqrt(1 / (n + 1));
          const theta = run.total[arm] / (n + 1) + spread * run.normal();
          if (theta > most) [best, most] = [arm, theta];
        });
        return best;
      }),
    };
  },
  learn(message) {
    if (!message.arms) return { error: "this program learns from single pulls" };
    message.arms.forEach((arm, k) => {
      runs[k].pulls[arm] += 1;
      runs[k].total[arm] += message.rewards[k];
    });
    return { done: true };
  },
};

lines.on("line", (line) => {
  const message = JSON.parse(line);
  const answer = answers[message.do] ? answers[message.do](message) : { error: `unknown request ${message.do}` };
  process.stdout.write(JSON.stringify(answer) + "\n");
});
