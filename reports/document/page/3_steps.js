// the questioning, step by step, and that of two runs side by side

const SHOWN_AT_ONCE = 20_000;

/** As much as a line that is to be opened shows: a browser takes seconds to break a text without blanks. */
const begun = (text, most = 1000) => (text?.length > most ? `${text.slice(0, most)} …` : text);

function said(text, style, quote) {
  const made = h(styled(text.length > 300 || text.includes("\n") ? "div.said" : "span.said", style), { dir: "auto" });
  const put = shown => {
    const at = quote ? shown.indexOf(quote) : -1;
    const parts = [shown.slice(0, at), h("mark", quote), shown.slice(at + quote?.length)];
    made.replaceChildren(...(at < 0 ? [shown] : parts));
  };
  put(text.slice(0, SHOWN_AT_ONCE));
  if (text.length <= SHOWN_AT_ONCE) return [made];
  const rest = button(`Show all ${text.length.toLocaleString("en")} signs`, () => [put(text), rest.remove()]);
  return [made, rest];
}

function field({ name, text = "", style, quote, link: href = "" }) {
  const source = { href, target: "_blank", rel: "noopener noreferrer" };
  return h(
    "div.field",
    name && h("span.s-dim", `${name}: `),
    said(text, style, quote),
    /^https?:\/\//i.test(href) && [" ", h("a", source, "open the source")],
  );
}

function inside({ about, text, fields = [], calls, place }, id) {
  const told = !text || fields.some(each => each.name === "question");
  const asked = told ? [] : [{ name: "question", text, style: "bold" }];
  return [
    about && h("p.s-dim", about),
    ...[...asked, ...fields].map(field),
    calls &&
      h(
        "details",
        h("summary", counted(calls.length, "call")),
        calls.map(each => h("p.s-dim", each)),
      ),
    h("p", h("a.s-dim", { href: link({ ...address(), id, step: place }) }, `address of ${place}`)),
  ].filter(Boolean);
}

const sign = step => h(`span.mark.m-${step.mark}`, { role: "img", "aria-label": step.mark }, step.sign);

function stepShown(step, id) {
  const { place, title, about, text, took, level = 0 } = step;
  const attributes = { id: `step-${place}`, style: `margin-left:${0.7 * Math.min(level, 8)}em` };
  const name = h("summary", sign(step), " ", h("b", place), ` ${title ?? about ?? ""} `, h("small", took));
  if (text) name.append(h("span.asked", begun(text)));
  return lazy("details.step", attributes, name, () => inside(step, id));
}

const fits = (step, { kind, text }) =>
  (!kind || step.kind === kind) &&
  (!text ||
    JSON.stringify([step.text, step.title, step.about, step.fields]).toLowerCase().includes(text.toLowerCase()));

function steps(held, at) {
  const found = held.steps.filter(step => fits(step, at) && (!at.mark || step.mark === at.mark));
  const few = found.length < held.steps.length && found.length <= 60;
  const count = (own, mark) => own.filter(step => step.mark === mark).length;
  const group = ({ name, fields }, number) => {
    const own = found.filter(step => step.group === number);
    if (!own.length) return null;
    const told = ` ${counted(own.length, held.unit)} · ✓ ${count(own, "correct")} ✗ ${count(own, "wrong")}`;
    const shown = () => [...fields.map(field), some(own, step => stepShown(step, at.id))];
    const made = lazy("details.group", { id: `group-${number}` }, h("summary", h("b", name), h("small", told)), shown);
    made.open = few || held.groups.length === 1;
    return made;
  };
  return [h("p", { role: "status" }, `${found.length} of ${counted(held.steps.length, held.unit)}`), held.groups.map(group)];
}

function filters(held, at, ...more) {
  const change = name => event => go({ ...at, step: "", [name]: event.target.value });
  const option =
    chosen =>
    ([value, text]) =>
      h("option", { value, selected: value === chosen }, text);
  const choice = (name, label, options) =>
    h(
      "label",
      `${label} `,
      h("select", { id: `filter-${name}`, onchange: change(name) }, [["", "all"], ...options].map(option(at[name]))),
    );
  const kinds = [...new Set(held.steps.map(step => step.kind).filter(Boolean))].map(kind => [kind, kind]);
  return h(
    "form.filters",
    { role: "search", "aria-label": "Filters", onsubmit: event => event.preventDefault() },
    choice("mark", "verdict", Object.entries(held.legend)),
    kinds.length > 1 && choice("kind", held.kinds, kinds),
    h("label", "text ", h("input", { id: "filter-text", type: "search", value: at.text, onchange: change("text") })),
    more,
  );
}

/** Steps by what was asked; the second time the same is asked under a key of its own. */
function keyed(held) {
  const found = new Map();
  for (const step of held.steps.filter(step => step.text && step.mark !== "done")) {
    let number = 0;
    while (found.has(`${number} ${step.kind ?? ""} ${step.text}`)) number += 1;
    found.set(`${number} ${step.kind ?? ""} ${step.text}`, step);
  }
  return found;
}

function sideBySide(one, other, at) {
  const [mine, theirs] = [keyed(one), keyed(other)];
  const pairs = [...mine].filter(([key]) => theirs.has(key)).map(([key, step]) => [step, theirs.get(key)]);
  const differ = pairs.filter(([a, b]) => a.mark !== b.mark);
  const marked = ([a, b]) => !at.mark || a.mark === at.mark || b.mark === at.mark;
  const found = (at.differs ? differ : pairs).filter(pair => marked(pair) && fits(pair[0], at));
  const shown = ([a, b]) => {
    const name = h("summary", sign(a), sign(b), " ", h("b", a.place), " ", h("span.asked", begun(a.text)));
    const column = (step, id) => h("div", h("p.s-bold", label(known(id))), inside(step, id));
    const both = () => [h("div.two", column(a, at.id), column(b, at.with))];
    return lazy("details.step", {}, name, both);
  };
  const told = pairs.length
    ? `${found.length} of ${pairs.length} questions that both were asked; ${differ.length} came out differently`
    : "These two runs share no question: only their figures can be set side by side.";
  return [h("p", { role: "status" }, told), some(found, shown)];
}

function onlyDiffering(at) {
  const onchange = event => go({ ...at, differs: event.target.checked ? "1" : "" });
  const box = h("input", { id: "filter-differs", type: "checkbox", checked: Boolean(at.differs), onchange });
  return h("label", box, " only where they differ");
}
