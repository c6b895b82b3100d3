"use strict";
// A convenience: search, and links that open what they lead to. Everything can be read without it.
(() => {
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let node = target; node; node = node.parentElement) if (node.localName === "details") node.open = true;
    if (target) target.scrollIntoView();
  };
  // What scrolls can be reached with the keys.
  const reach = () => {
    for (const each of document.querySelectorAll(".canvas, .eq, .with, .sides td, .listing p, blockquote p, dd, .holds p"))
      if (each.scrollWidth > each.clientWidth && getComputedStyle(each).overflowX === "auto") each.tabIndex = 0;
  };
  for (const event of ["load", "resize", "toggle"]) addEventListener(event, reach, true);
  addEventListener("hashchange", open);
  open();
  const field = document.getElementById("find");
  if (!field) return;
  field.closest("p").hidden = false;
  const claims = [...document.querySelectorAll(".claim")];
  const asked = new URLSearchParams(location.search);
  const spelt = { ε: "eps", δ: "delta", μ: "mu", σ: "sigma", λ: "lam", "√": "sqrt", "≤": "<=", "≥": ">=", "−": "-" };
  const plain = (text) => text.toLowerCase().replace(/epsilon|[εδμσλ√≤≥−]/g, (found) => spelt[found] || "eps");
  const texts = claims.map((claim) => plain((claim.querySelector("summary") || claim).textContent));
  const choices = [...document.querySelectorAll('.filters input[type="radio"]')];
  const chosen = () => choices.filter((each) => each.checked && !each.id.endsWith("-all"));
  // Choices hide claims by style; the search hides them here, and opens the sections of what is left.
  const search = () => {
    const words = plain(field.value).split(/\s+/).filter(Boolean);
    const any = words.length || chosen().length;
    claims.forEach((claim, place) => { claim.hidden = !words.every((word) => texts[place].includes(word)); });
    const left = new Set(claims.filter((claim) => !claim.hidden && getComputedStyle(claim).display !== "none"));
    for (const section of document.querySelectorAll(".chapter")) {
      section.hidden = any && ![...section.querySelectorAll(".claim")].some((claim) => left.has(claim));
      if (any && section.localName === "details") section.open = true;
    }
    document.getElementById("found").textContent = any
      ? left.size ? `${left.size} of ${claims.length}` : "Nothing matches; an id such as lemma-12, or words of the statement, would."
      : "";
  };
  // What is searched and chosen stands in the address, so that it can be sent.
  const remember = () => {
    const said = new URLSearchParams();
    if (field.value) said.set("q", field.value);
    for (const each of chosen()) said.set(each.name, each.id.slice(each.name.length + 1));
    const query = said.toString();
    try { history.replaceState(null, "", query ? `?${query}${location.hash}` : location.pathname + location.hash); } catch { /* not everywhere */ }
  };
  for (const each of [field, ...choices])
    each.addEventListener("input", () => { search(); remember(); });
  for (const each of choices) if (asked.get(each.name) === each.id.slice(each.name.length + 1)) each.checked = true;
  field.value = asked.get("q") || field.value;
  search();
})();
