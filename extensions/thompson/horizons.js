"use strict";
// The headline's numbers, its sentence and its picture for the horizon, arms and delta that a reader chooses.
{
  const { deltas, rows, x, y } = JSON.parse(document.getElementById("horizon-data").textContent);
  const form = document.getElementById("horizons");
  const svg = form.closest("section").querySelector(".canvas svg");
  const [claimed, exact, attacked, mark] = ["--claimed", "--exact", "--other-1", "--other-2"].map(
    (name) => svg.querySelector(`path[style*="var(${name})"]`));
  const along = ([[from, start], [to, end]], value) => +(start + (Math.log10(value) - from) / (to - from) * (end - start)).toFixed(2);
  const path = (points) => "M" + points.map(([T, eps]) => `${along(x, T)} ${along(y, eps)}`).join(" ");
  const first = rows[0][0], last = rows[rows.length - 1][0];
  const asked = new URLSearchParams(location.search);
  for (const name of ["T", "K"]) if (asked.get(name)) form.elements[name].value = asked.get(name);
  if (asked.get("delta")) form.elements.delta.value = deltas.findIndex((each) => each === +asked.get("delta"));
  if (form.elements.K.value === "") form.elements.K.value = +asked.get("K") > 2 ? "any" : "2";
  if (form.elements.delta.value === "") form.elements.delta.value = deltas.findIndex((each) => each <= (+asked.get("delta") || 1e-6));
  const number = (value) => value < 1e5 ? `${+value.toPrecision(4)}` : value.toPrecision(4).replace(/\.?0*e\+/, "e");
  const theorem = (T, place) => {
    const above = Math.max(rows.findIndex(([horizon]) => horizon >= T), 1);
    const [low, high] = [rows[above - 1], rows[above]];
    const z = ([horizon, eps]) => (eps[place] - horizon / 4) / Math.sqrt(horizon / 2);
    const share = Math.log(T / low[0]) / Math.log(high[0] / low[0]);
    return T / 4 + (z(low) + share * (z(high) - z(low))) * Math.sqrt(T / 2);
  };
  const show = (id, text) => { document.getElementById(id).textContent = text; };
  const answer = () => {
    const T = Math.floor(+form.elements.T.value), place = +form.elements.delta.value;
    const two = form.elements.K.value === "2", known = T >= first && T <= last;
    const bound = (row) => row[two ? 2 : 3][place];
    const attacks = rows.filter((row) => row[4].length);
    const steps = (list, value, before) => list.flatMap((row, k) =>
      before ? [[(list[k - 1] || row)[0], value(row)], [row[0], value(row)]] : [[row[0], value(row)], [(list[k + 1] || [last])[0], value(row)]]);
    claimed.setAttribute("d", path(rows.map((row) => [row[0], row[1][place]])));
    exact.setAttribute("d", path(steps(rows, bound, true)));
    attacked.setAttribute("d", path(steps(attacks.filter((row) => row[4][place] >= 1), (row) => row[4][place], false)));
    mark.setAttribute("d", known ? path([[T, 1], [T, 1e6]]) : "");
    const upper = rows.find((row) => row[0] >= T), lower = attacks.filter((row) => row[0] <= T).pop();
    show("horizons-claimed", known ? number(theorem(T, place)) : "–");
    show("horizons-certified", known ? number(bound(upper)) : "–");
    show("horizons-attack", known && lower ? number(lower[4][place]) : "–");
    const said = [];
    if (!known) said.push(`Choose T from ${first} to ${last}. For any other T, use dpbandits privacy thompson --horizon T.`);
    else {
      said.push(upper[0] === T ? `The bound was computed by ${upper[5]} for this T.` : `The bound was computed by ${upper[5]} for T = ${upper[0]}. It holds for T = ${T}, whose releases are the first ones of that run.`);
      if (lower) said.push(lower[0] === T ? "The attack is on runs of this length too." : `The attack is on the first ${lower[0]} rounds.`);
      if (!two) said.push("The bound holds for any number of arms; the attack is on two.");
    }
    show("horizons-answer", said.join(" "));
    const query = new URLSearchParams({ T, K: form.elements.K.value, delta: deltas[place] });
    return query.toString();
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    const query = answer();
    try { history.replaceState(null, "", `?${query}${location.hash}`); } catch { /* not everywhere */ }
  });
  answer();
}
