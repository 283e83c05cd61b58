// blocks and pictures, as `page/plain.py` writes them

function block(made, id) {
  const title = made.title && h("h3", made.title);
  if (made.kind === "text") {
    const lines = made.lines.filter(each => !again(each.text)).map(each => line(each, id));
    return (title || lines.length > 0) && h("section", title, lines);
  }
  const said = dim(made.said);
  const shown = scrolling(made.title || "table", table(made));
  return h("section", title, shown, said);
}

const dim = lines => lines.filter(each => !again(each)).map(each => h("p.s-dim", each));

function line({ text = "", style, lead, lead_style, indent, step }, id) {
  return h(
    styled("p", style),
    { style: indent && `padding-left:${indent / 2}em` },
    lead && h(styled("span", lead_style), lead),
    step && id ? h("a", { href: link({ id, step }) }, text) : text,
  );
}

function table({ heads, rows }) {
  const cells = own => own.map((each, at) => cell(each, heads[at].right, at === 0));
  const row = own =>
    h("tr", own.cells ? cells(own.cells) : h("th", { colspan: heads.length, scope: "rowgroup" }, own.head));
  const head = ({ text, right }) => h(`${text ? "th" : "td"}${right ? ".right" : ""}`, text && { scope: "col" }, text);
  return rowsOf(heads.some(each => each.text) && heads.map(head), rows.map(row));
}

const MOST_ROWS = 20;

/** A table; of a long one the first rows and a button for all. On paper there are all. */
function rowsOf(heads, rows) {
  const made = h("table", heads && h("thead", h("tr", heads)), h("tbody", rows));
  if (rows.length <= MOST_ROWS) return made;
  made.classList.add("long");
  const whole = () => [made.classList.remove("long"), all.remove()];
  const all = button(`Show all ${rows.length} rows`, whole);
  return [made, all];
}

function cell({ text, style, bar, more = [] }, right, first) {
  const tag = first && text ? "th" : "td";
  return h(
    styled(right ? `${tag}.right` : tag, style),
    tag === "th" && { scope: "row" },
    bar ? drawnBar(bar.map(share => 100 * share)) : text,
    more.map(each => h("small", each)),
  );
}

/** In shades up to the lower end, the value and the upper end, as the signs of the legend. */
function drawnBar([low, value, high]) {
  const name = `${value.toFixed(0)} of 100, interval ${low.toFixed(0)} to ${high.toFixed(0)}`;
  return h("span.bar", { role: "img", "aria-label": name, style: `--low:${low}%;--value:${value}%;--high:${high}%` });
}

function picture({ title, said, words, spec }) {
  const place = h("div.chart", { role: "img", "aria-label": [title, ...words].join(" ") });
  const options = { mode: "vega-lite", ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip: false };
  const failed = error => place.replaceChildren(`This picture cannot be drawn: ${error.message}`);
  const hidden = () => place.querySelector("svg").setAttribute("aria-hidden", "true"); // the words say it all
  window.vegaEmbed(place, spec, options).then(hidden).catch(failed);
  return h(
    "figure",
    h(
      "figcaption",
      h("h3", title),
      dim(said),
    ),
    scrolling(title, place),
  );
}
