package webtest

// soundness is an expression that lists content a person could not read or reach: controls without a name, skipped headings, duplicate
// ids, dangling references, tables without headings, sideways scrolling, and texts with a contrast below 4.5 to 1. It is our own,
// because the usual checker, axe, is not a Go module, and tests download nothing.
const soundness = `(() => {
  const complaints = [];
  const seen = (e) => { const r = e.getBoundingClientRect(); return r.width > 1 && r.height > 1 && getComputedStyle(e).visibility !== "hidden" && !e.closest(".hidden"); };
  const what = (e) => e.outerHTML.slice(0, 140);
  if (document.documentElement.scrollWidth > innerWidth + 1) {
    const wide = [...document.querySelectorAll("main *, .panel *, header *")].find((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, .canvas, .lanes, .grid, .tabs, pre"));
    complaints.push("it scrolls sideways: " + (wide ? what(wide) : ""));
  }
  const name = (e) => (e.getAttribute("aria-label") || (e.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id)?.textContent || "").join(" ") || e.labels?.[0]?.textContent || e.textContent || "").trim();
  for (const e of document.querySelectorAll("a, button, input, select, textarea, summary, [role=button], [role=grid], [role=region], [role=img], [tabindex='0'], dialog, nav, aside")) if (seen(e) && !name(e)) complaints.push("no name: " + what(e));
  const ids = new Set();
  for (const e of document.querySelectorAll("[id]")) { if (ids.has(e.id)) complaints.push("twice: #" + e.id); ids.add(e.id); }
  for (const attribute of ["aria-labelledby", "aria-activedescendant"]) for (const e of document.querySelectorAll("[" + attribute + "]")) for (const id of e.getAttribute(attribute).split(" ")) if (!document.getElementById(id)) complaints.push(attribute + " leads nowhere: " + what(e));
  let level = 0;
  for (const e of document.querySelectorAll("h1, h2, h3, h4")) { const now = Number(e.localName[1]); if (now > level + 1) complaints.push("a heading is skipped before " + what(e)); level = now; }
  if (document.querySelectorAll("h1").length !== 1) complaints.push("not one h1");
  if (document.querySelectorAll("main").length !== 1) complaints.push("not one main");
  for (const table of document.querySelectorAll("table")) if (!table.querySelector("th[scope]")) complaints.push("a table without heads: " + what(table));
  for (const row of document.querySelectorAll("[role=row]")) if (!row.parentElement.closest("[role=rowgroup], [role=grid]")) complaints.push("a row outside of a grid");
  const parse = (colour) => { const m = colour.match(/[\d.]+/g).map(Number); return { r: m[0], g: m[1], b: m[2], a: m[3] ?? 1 }; };
  const over = (top, under) => ({ r: top.r * top.a + under.r * (1 - top.a), g: top.g * top.a + under.g * (1 - top.a), b: top.b * top.a + under.b * (1 - top.a), a: 1 });
  const behind = (e) => { const layers = []; for (let x = e; x; x = x.parentElement) { const c = parse(getComputedStyle(x).backgroundColor); if (c.a > 0) layers.push(c); if (c.a === 1) break; } return layers.reverse().reduce((under, c) => over(c, under), { r: 255, g: 255, b: 255, a: 1 }); };
  const light = (c) => { const f = (v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }; return 0.2126 * f(c.r) + 0.7152 * f(c.g) + 0.0722 * f(c.b); };
  const said = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !seen(e) || e.closest("svg, [aria-hidden=true], :disabled, option")) continue;
    const back = behind(e);
    const a = light(over(parse(getComputedStyle(e).color), back));
    const b = light(back);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const key = getComputedStyle(e).color + getComputedStyle(e).backgroundColor;
    if (ratio < 4.5 && !said.has(key)) { said.add(key); complaints.push("hard to see, " + ratio.toFixed(2) + ": " + what(e)); }
  }
  return complaints.slice(0, 12);
})()`
