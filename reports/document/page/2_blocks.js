// blocks and pictures, as `page/plain.py` writes them

function block(made, id) {
  const title = made.title && h("h3", made.title);
  if (made.kind === "text")
    return h(
      "section",
      title,
      made.lines.map(each => line(each, id)),
    );
  const said = made.said.map(each => h("p.s-dim", each));
  const shown = scrolling(made.title || "table", table(made));
  return h("section", title, shown, said);
}

function line({ text = "", style, lead, lead_style, indent, step }, id) {
  return h(
    styled("p", style),
    { style: indent && `padding-left:${indent / 2}em` },
    lead && h(styled("span", lead_style), lead),
    step && id ? h("a", { href: link({ id, step }) }, text) : text,
  );
}

function table({ heads, rows }) {
  const cells = own => own.map((each, at) => cell(each, heads[at].right));
  const row = own => h("tr", own.cells ? cells(own.cells) : h("th", { colspan: heads.length }, own.head));
  const named = heads.map(({ text, right }) => h(right ? "th.right" : "th", { scope: "col" }, text));
  return rowsOf(named, rows.map(row));
}

const MOST_ROWS = 20;

/** A table; of a long one the first rows and a button for all. On paper there are all. */
function rowsOf(heads, rows) {
  const made = h("table", h("thead", h("tr", heads)), h("tbody", rows));
  if (rows.length <= MOST_ROWS) return made;
  made.classList.add("long");
  const whole = () => [made.classList.remove("long"), all.remove()];
  const all = button(`Show all ${rows.length} rows`, whole);
  return [made, all];
}

function cell({ text, style, bar, more = [] }, right) {
  return h(
    styled(right ? "td.right" : "td", style),
    bar ? drawnBar(bar.map(share => 100 * share)) : text,
    more.map(each => h("small", each)),
  );
}

function drawnBar([low, value, high]) {
  const name = `${value.toFixed(0)} of 100, interval ${low.toFixed(0)} to ${high.toFixed(0)}`;
  const [filled, interval] = [`width:${value}%`, `left:${low}%;width:${high - low}%`];
  return h("span.bar", { role: "img", "aria-label": name }, h("i", { style: filled }), h("b", { style: interval }));
}

function picture({ title, said, words, spec }) {
  const place = h("div.chart", { role: "img", "aria-label": [title, ...words].join(" ") });
  const options = { ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip: false };
  const failed = error => place.replaceChildren(`This picture cannot be drawn: ${error.message}`);
  window.vegaEmbed(place, spec, options).catch(failed);
  return h(
    "figure",
    h(
      "figcaption",
      h("h3", title),
      said.map(each => h("p.s-dim", each)),
    ),
    scrolling(title, place),
  );
}
