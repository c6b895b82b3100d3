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
  const texts = claims.map((claim) => (claim.querySelector("summary") || claim).textContent.toLowerCase());
  const search = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    if (words.length) for (const section of document.querySelectorAll("details.chapter")) section.open = true;
    claims.forEach((claim, place) => {
      claim.hidden = !words.every((word) => texts[place].includes(word));
      shown += !claim.hidden;
    });
    for (const section of document.querySelectorAll(".chapter"))
      section.hidden = ![...section.querySelectorAll(".claim")].some((claim) => !claim.hidden);
    document.getElementById("found").textContent = words.length
      ? shown ? `${shown} of ${claims.length}` : "Nothing matches; an id such as lemma-12, or words of the statement, would."
      : "";
  };
  // What is searched and chosen stands in the address, so that it can be sent.
  const choices = [...document.querySelectorAll('.filters input[type="radio"]')];
  const remember = () => {
    const said = new URLSearchParams();
    if (field.value) said.set("q", field.value);
    for (const each of choices) if (each.checked && !each.id.endsWith("-all")) said.set(each.name, each.id.slice(each.name.length + 1));
    const query = said.toString();
    try { history.replaceState(null, "", query ? `?${query}${location.hash}` : location.pathname + location.hash); } catch { /* not everywhere */ }
  };
  field.addEventListener("input", () => { search(); remember(); });
  for (const each of choices) {
    if (asked.get(each.name) === each.id.slice(each.name.length + 1)) each.checked = true;
    each.addEventListener("change", remember);
  }
  if (asked.get("q")) { field.value = asked.get("q"); search(); }
})();
