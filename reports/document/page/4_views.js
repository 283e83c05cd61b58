// the overview, a run, two runs; and the way between them

const root = document.getElementById("report");
const label = each => `${each.domain} · ${each.target} · ${each.method} ${each.id}`;
const chosen = at => each => h("option", { value: each.id, selected: each.id === at }, label(each));

function head(id) {
  const onchange = event => go({ id: event.target.value });
  const runs = [h("option", { value: "" }, "Overview"), ...overview.runs.map(chosen(id))];
  const simulated = overview.runs.some(each => each.simulated);
  return h(
    "header",
    h("h1", h("a", { href: "#" }, overview.title)),
    simulated && h("p.badge", overview.simulated),
    h("nav", { "aria-label": "Runs" }, h("select", { id: "run", "aria-label": "Run", onchange }, runs)),
    h("nav.parts", { "aria-label": "On this page" }),
    h("p.keys.s-dim", `${overview.made} · Shortcuts: o = overview, j/k = next/previous step, / = search`),
  );
}

/** Buttons for the parts of the page: its address is that of the run. */
function contents() {
  const to = head => () => [head.scrollIntoView(), head.focus({ preventScroll: true })];
  const heads = [...document.querySelectorAll("main h2")].slice(1);
  heads.forEach(each => each.setAttribute("tabindex", "-1"));
  document.querySelector("nav.parts").replaceChildren(...heads.map(each => button(each.textContent, to(each))));
}

function files(held, at) {
  const others = overview.runs.filter(each => each.method === known(at.id).method && each.id !== at.id);
  const onchange = event => go({ ...at, step: "", with: event.target.value });
  const beside = [h("option", { value: "" }, "(none)"), ...others.map(chosen(at.with))];
  const asJson = () => save(`${at.id}.json`, "application/json", JSON.stringify(held.result));
  return h(
    "p.files",
    held.result && button("Result as JSON", asJson),
    held.rows.length > 0 && button("Items as CSV", () => save(`${at.id}.csv`, "text/csv", csv(held.rows))),
    others.length > 0 && h("label", "Compare with: ", h("select", { id: "beside", onchange }, beside)),
  );
}

function runShown(held, at) {
  return [
    h("h2", label(known(at.id))),
    files(held, at),
    held.pictures.map(picture),
    aboutRun(at.id),
    held.steps && h("h2", "Questions and answers"),
  ];
}

/** Both specs with the wider of each pair of axes, so that the same height means the same. */
function alike(one, other) {
  for (const key of Object.keys(one).filter(each => each !== "data" && each in other)) {
    const [own, theirs] = [one[key], other[key]];
    const numbers = [own, theirs].every(each => Array.isArray(each) && each.every(Number.isFinite));
    if (key === "width") one[key] = other[key] = Math.max(own, theirs);
    else if (key === "domain" && numbers)
      one[key] = other[key] = [Math.min(own[0], theirs[0]), Math.max(own.at(-1), theirs.at(-1))];
    else if (key === "values" && numbers) one[key] = other[key] = own.length > theirs.length ? own : theirs;
    else if (own instanceof Object && theirs instanceof Object) alike(own, theirs);
  }
}

function bothShown(first, second, at) {
  const [held, other] = structuredClone([first, second]);
  for (const each of held.pictures) {
    const same = other.pictures.find(picture => picture.title === each.title);
    if (same) alike(each.spec, same.spec);
  }
  const column = (id, own) =>
    h(
      "div",
      h("h2", label(known(id))),
      own.pictures.map(picture),
    );
  return [files(held, at), h("div.two", column(at.id, held), column(at.with, other)), h("h2", "Question by question")];
}

// the part of a page that a filter changes is drawn anew alone

let shown = "";

async function show() {
  const at = address();
  if (overview.runs.length === 1 && !at.id) at.id = overview.runs[0].id;
  const held = known(at.id) && (await runOf(at.id));
  const other = held && known(at.with) && (await runOf(at.with));
  const view = `${at.id} ${at.with}`;
  if (view !== shown || !held) {
    root.replaceChildren(head(at.id), page(held, other, at));
    contents();
    window.scrollTo(0, 0);
  }
  shown = view;
  if (held?.steps) list(held, other, at);
  if (held?.steps && !other && at.step) reveal(held, at);
}

function page(held, other, at) {
  const steps = h("div.steps", { id: "steps" });
  if (other) return h("main", bothShown(held, other, at), steps);
  const rest = overview.runs.length === 1 && [...overviewPage.children].filter(each => each.id !== "runs");
  if (held) return h("main", runShown(held, at), steps, rest);
  if (!at.id) return overviewPage;
  return h("main", h("p.s-red", `There is no run ${at.id} in this report.`), overviewPage);
}

function list(held, other, at) {
  const focused = document.activeElement?.id;
  const parts = other?.steps
    ? [filters(held, at, onlyDiffering(at)), sideBySide(held, other, at)]
    : [filters(held, at), steps(held, at)];
  document.getElementById("steps").replaceChildren(...parts.flat(2).filter(Boolean));
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

function reveal(held, at) {
  const found =
    held.steps.find(step => step.place === at.step) ?? held.steps.find(step => step.place.startsWith(at.step));
  const group = found && document.getElementById(`group-${found.group}`);
  if (!group) return;
  group.open = true;
  group.fill();
  group.querySelector(":scope > div > button")?.click();
  const step = document.getElementById(`step-${found.place}`);
  step.open = true;
  step.scrollIntoView({ block: "start" });
  step.querySelector("summary").focus({ preventScroll: true });
}

function onKey(event) {
  if (event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "o") go({});
  const search = event.key === "/" && document.getElementById("filter-text");
  if (search) {
    event.preventDefault();
    search.focus();
  }
  if (event.key !== "j" && event.key !== "k") return;
  const all = [...document.querySelectorAll(".steps summary")].filter(each => each.checkVisibility());
  const next = all[all.indexOf(document.activeElement) + (event.key === "j" ? 1 : -1)];
  next?.focus();
}

function failed(error) {
  root.replaceChildren(h("p.s-red", { role: "alert" }, `This report cannot be shown: ${error.message}`));
}

const UNPACKS = "its browser cannot unpack it. Chrome and Edge from 80, Firefox from 113 and Safari from 16.4 can.";

async function begin() {
  if (!window.DecompressionStream) throw new Error(UNPACKS);
  overview = await unpacked("overview");
  const asCsv = () => save("runs.csv", "text/csv", csv(overview.rows));
  overviewPage.querySelector("#runs").append(button("Runs as CSV", asCsv));
  window.addEventListener("hashchange", () => show().catch(failed));
  document.addEventListener("keydown", onKey);
  await show();
  root.dataset.ready = "yes";
}

begin().catch(failed);
