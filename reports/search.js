"use strict";
// The page of all claims makes its rows from the data that it carries.
{
  const { quotes, verdicts, papers } = JSON.parse(document.getElementById("claims").textContent);
  const empty = document.getElementById("row").content.firstElementChild;
  const row = ([id, href, classes, verdict, where, reading, harm, breaks, quote, scope]) => {
    const node = empty.cloneNode(true);
    const fill = (selector, text) => {
      const part = node.querySelector(selector);
      if (text) part.textContent = text;
      else part.remove();
    };
    node.className = `claim row ${classes}`;
    node.firstElementChild.href = href || `../claims/${id.replaceAll("/", "__")}.html`;
    node.querySelector(".badge").className = `badge ${verdict}`;
    fill(".badge", verdicts[verdict]);
    fill(".place", where);
    fill(".tag.harm", harm);
    fill(".tag:not(.harm)", reading);
    fill("code", id);
    fill(".brief.scope", scope);
    fill(".brief.quote", quotes[quote] && `“${quotes[quote]}”`);
    fill(".brief:not(.quote, .scope)", breaks);
    return node;
  };
  for (const [place, claims] of papers.entries()) document.getElementById(`rows-${place + 1}`).append(...claims.map(row));
}
