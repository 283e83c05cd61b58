// beside page/0_elements.js

const data = JSON.parse(document.getElementById("data").textContent);
const root = document.getElementById("review");
const place = `fathom-review:${data.id}`;

// labels: id → { question: key, answer: key, note, at }; kept in the browser where it lets us

let labels = {};
let keeps = true;
try {
  labels = JSON.parse(localStorage.getItem(place)) ?? {};
} catch {
  keeps = false;
}

function keep() {
  try {
    localStorage.setItem(place, JSON.stringify(labels));
  } catch {
    keeps = false;
  }
}

const isWhole = label => Boolean(label?.question && label?.answer);
const labelled = () => data.items.filter(item => isWhole(labels[item.id]));
const openItems = () => data.items.filter(item => !isWhole(labels[item.id]));
const firstOpen = () => (openItems().length ? data.items.indexOf(openItems()[0]) : data.items.length);
let shown = firstOpen();
let saved = JSON.stringify({});
const isUnsaved = () => JSON.stringify(labels) !== saved;

function saveLabels() {
  const value = (choices, key) => choices.find(choice => choice.key === key).value;
  const file = {
    format: "fathom-review",
    version: 1,
    rater: data.rater,
    rule: data.rule,
    labels: labelled().map(({ id }) => ({
      id,
      question: value(data.questions, labels[id].question),
      answer: value(data.answers, labels[id].answer),
      note: labels[id].note ?? "",
      at: labels[id].at,
    })),
  };
  const name = data.rater.replace(/[^\p{L}\p{N}]+/gu, "-");
  save(`review-${name}.json`, "application/json", JSON.stringify(file, null, 1));
  saved = JSON.stringify(labels);
  show();
}

// what a rater does

const lines = ({ heading, lines }) => [h("h2", heading), h("ul", lines.map(line => h("li", line)))];
const dialog = h("dialog", { "aria-label": "The rule" }, data.rules.map(lines), button("Go on", () => dialog.close()));

function go(number) {
  shown = Math.min(Math.max(number, 0), data.items.length);
  show();
  scrollTo(0, 0);
  root.querySelector("h1").focus({ preventScroll: true });
}

function say(what, value) {
  if (shown === data.items.length) return;
  const { id } = data.items[shown];
  labels[id] = { ...labels[id], [what]: value, at: new Date().toISOString() };
  keep();
  if (what !== "note" && isWhole(labels[id])) go(shown + 1);
  else if (what !== "note") {
    show();
    root.querySelector(`[data-key="${value}"]`).focus({ preventScroll: true });
  }
}

function rule() {
  if (dialog.open) return dialog.close();
  dialog.showModal();
  dialog.scrollTop = 0; // the button at its end has the focus
}

const KEYS = {
  b: () => go(shown - 1),
  arrowleft: () => go(shown - 1),
  s: () => go(shown + 1),
  arrowright: () => go(shown + 1),
  n: () => document.getElementById("note")?.focus(),
  d: saveLabels,
  "?": rule,
};
for (const { key } of data.questions) KEYS[key] = () => say("question", key);
for (const { key } of data.answers) KEYS[key] = () => say("answer", key);

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.id === "note") {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const key = event.key.toLowerCase();
  const act = KEYS[key];
  if (!act || (dialog.open && key !== "?")) return;
  event.preventDefault();
  act();
});

// what is shown

function field({ name, text, link }) {
  const source = { href: link, target: "_blank", rel: "noopener noreferrer" };
  const open = /^https?:\/\//i.test(link) && [" ", h("a", source, "open")];
  return [h("dt", name), h("dd", { dir: "auto", class: `f-${name.toLowerCase()}` }, text, open)];
}

function choices(title, what, list) {
  const label = labels[data.items[shown].id];
  const one = ({ key, name, about }) =>
    h(
      "button",
      { type: "button", "data-key": key, title: about, "aria-pressed": String(label?.[what] === key), onclick: () => say(what, key) },
      h("kbd", key),
      ` ${name}`,
    );
  return h("div", { role: "group", class: "choices", "aria-label": title }, h("b", title), list.map(one));
}

function answer() {
  const item = data.items[shown];
  const oninput = event => say("note", event.target.value);
  const note = h("textarea", { id: "note", rows: 2, oninput, maxlength: 4000 });
  note.value = labels[item.id]?.note ?? "";
  return [
    h("dl", item.fields.map(field)),
    h(
      "section",
      { class: "marks", "aria-label": "Your marks" },
      choices("Question", "question", data.questions),
      choices("Answer", "answer", data.answers),
      h("label", h("span", h("kbd", "n"), " note"), note),
    ),
  ];
}

function end() {
  const open = openItems().length;
  return [
    h("h2", open ? `${open} answers are open` : "All answers are labelled"),
    h("p", "Save the labels, and send the file to whoever gave you this page."),
    keyed("d", "save labels", saveLabels),
    open > 0 && button("To the first open answer", () => go(firstOpen())),
  ];
}

const keyed = (key, name, onclick) => button([h("kbd", key), ` ${name}`], onclick);

function show() {
  const [count, all] = [labelled().length, data.items.length];
  const unsaved = isUnsaved();
  const state = [
    `${count} of ${all} labelled by ${data.rater}`,
    !keeps && "this browser keeps nothing: save before you close the page",
    keeps && unsaved && "kept in this browser, not saved to a file yet",
  ];
  root.replaceChildren(
    h(
      "header",
      h("h1", { tabindex: -1 }, shown < all ? `Answer ${shown + 1} of ${all}` : "The end"),
      h("progress", { max: all, value: count, "aria-label": "labelled" }),
      h("p", { role: "status" }, state.filter(Boolean).join(" · ")),
      h("nav", keyed("b", "back", KEYS.b), keyed("s", "skip", KEYS.s), keyed("?", "rule", rule), keyed("d", "save labels", saveLabels)),
    ),
    ...(shown < all ? answer() : end()).filter(Boolean),
  );
}

document.body.append(dialog);
addEventListener("beforeunload", event => !keeps && isUnsaved() && event.preventDefault());
show();
rule();
