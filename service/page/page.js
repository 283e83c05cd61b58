// The live page: every text of a model goes into a text node, and nothing is asked but this server.
const main = document.querySelector("main"), status = document.querySelector("#status");
const NEWEST = 12, PANELS = 4, REFRESH_MS = 3000, SVG = "http://www.w3.org/2000/svg";
let leave = () => {};

function element(name, about = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(about)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

function drawn(name, about, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(about)) made.setAttribute(key, value);
  if (text != null) made.append(text);
  return made;
}

const number = (value, places = 2) => (value == null ? "–" : value.toFixed(places));
const percent = (value) => (value == null ? "–" : `${Math.round(100 * value)}%`);
const between = (ends, write) => (ends ? `${write(ends[0])}–${write(ends[1])}` : "–");

function table(heads, rows) {
  const cell = (name, value) =>
    element(name, { class: value?.n ? "n" : "" }, value?.n ? value.n : value ?? "");
  return element("div", { class: "wide" }, element("table", {},
    element("thead", {}, element("tr", {}, ...heads.map((each) => cell("th", each)))),
    element("tbody", {}, ...rows.map((row) =>
      element("tr", {}, ...row.map((each) => cell("td", each)))))));
}

async function ask(path, options = {}) {
  const response = await fetch(path, options);
  if (response.status === 401 && path !== "/login") throw new Error("token");
  if (!response.ok) throw new Error((await response.json()).detail);
  return response.status === 204 ? null : response.json();
}

function login() {
  const field = element("input", { type: "password", autocomplete: "current-password", "aria-label": "Token", autofocus: "" });
  const send = async (event) => {
    event.preventDefault();
    try {
      const body = JSON.stringify({ token: field.value });
      await ask("/login", { method: "POST", headers: { "Content-Type": "application/json" }, body });
      show();
    } catch (error) { status.textContent = error.message; }
  };
  status.textContent = "";
  main.replaceChildren(element("form", { onsubmit: send },
    element("p", {}, "Enter the token that the server printed when it made it."),
    field, " ", element("button", {}, "Open")));
}

async function studies() {
  const all = await ask("/v1/studies");
  const rows = all.map((study) => [
    element("a", { href: `#${study.id}` }, study.about || study.id),
    element("span", { class: study.state }, study.state), study.created.slice(0, 16).replace("T", " "), study.error]);
  main.replaceChildren(element("h2", {}, "Studies"), rows.length
    ? table(["Study", "State", "Created (UTC)", ""], rows)
    : element("p", { class: "quiet" }, "None yet: POST /v1/studies, or fathom run STUDY --server."));
  status.textContent = "";
}

function cells(study) {
  // while a run goes on its panel has the figure so far
  const done = (cell) => cell.status === "complete" && cell.figure != null;
  const figure = (cell) => done(cell) ? `${cell.at_least ? "≥ " : ""}${number(cell.figure)}` : "–";
  const rows = study.cells.map((cell) => [
    cell.domain, element("span", {}, cell.target, " ",
      cell.simulated ? element("span", { class: "sim" }, "SIMULATED") : null),
    element("span", { class: cell.status }, cell.status, cell.error ? `: ${cell.error}` : ""),
    { n: percent(cell.share) }, { n: figure(cell) }, { n: between(done(cell) ? cell.interval : null, number) },
    { n: String(cell.calls) }, { n: cell.usd == null ? "unknown" : `$${number(cell.usd, 4)}` },
    cell.status === "complete"
      ? element("a", { href: `/v1/runs/${cell.run}/report.html` }, "report") : ""]);
  return table(["Domain", "Model", "State", { n: "Done" }, { n: "Figure" }, { n: "95%" },
    { n: "Calls" }, { n: "Cost" }, ""], rows);
}

function curve(rows) {
  const width = 480, height = 220, left = 36, foot = 24;
  const last = Math.max(4, ...rows.map((row) => row.depth));
  const x = (depth) => left + (depth / last) * (width - left - 10);
  const y = (share) => 8 + (1 - share) * (height - foot - 8);
  const points = [[0, 1], ...rows.map((row) => [row.depth, row.survival])];
  const picture = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": "Survival by depth with its 95% interval" });
  for (const share of [0, 0.5, 1]) {
    picture.append(drawn("line", { class: "axis", x1: left, x2: width, y1: y(share), y2: y(share) }),
      drawn("text", { x: 0, y: y(share) + 4 }, percent(share)));
  }
  for (let depth = 1; depth <= last; depth += Math.ceil(last / 10)) {
    picture.append(drawn("text", { x: x(depth) - 3, y: height - 6 }, String(depth)));
  }
  const line = (ends) => ends.map(([depth, share]) => `${x(depth)},${y(share)}`).join(" ");
  const bounds = rows.filter((row) => row.survival_ci);
  const upper = bounds.map((row) => [row.depth, row.survival_ci[1]]);
  const lower = bounds.map((row) => [row.depth, row.survival_ci[0]]).reverse();
  picture.append(drawn("polygon", { class: "band", points: line([[0, 1], ...upper, ...lower]) }),
    drawn("polyline", { class: "curve", points: line(points) }));
  return picture;
}

function panel(run) {
  const rows = [...run.depths.values()].sort((one, other) => one.depth - other.depth);
  const newest = run.newest.map((step) => element("li", {},
    element("b", { class: step.verdict }, step.verdict), ` ${step.about} `,
    element("span", { class: "quiet" }, step.text)));
  const depths = rows.map((row) => [
    { n: String(row.depth) }, row.tier.toLowerCase().replace("_", " "),
    { n: `${row.correct} of ${row.scored}` }, { n: percent(row.accuracy) },
    { n: percent(row.survival) }, { n: between(row.survival_ci, percent) }]);
  const going = run.status === "running", sofar = going ? " so far" : "";
  const about = [run.status,
    run.evd == null ? null : `Expected valid depth (EVD)${sofar} ${number(run.evd)}`,
    going ? `${run.waiting.size} in flight` : null].filter(Boolean).join(" · ");
  return element("section", {}, element("h2", {}, run.title), element("p", { class: "quiet" }, about),
    element("div", { class: "run" }, element("div", {}, rows.length
      ? table([{ n: "Depth" }, "Tier", { n: "Correct" }, { n: "Accuracy" }, { n: "Survival" },
        { n: "95%" }], depths) : null,
    rows.length ? curve(rows) : null, rows.length
      ? element("p", { class: "quiet" }, "Survival by depth, with its 95% interval") : null),
    element("ol", {}, ...newest)));
}

function take(runs, event) {
  if (!runs.has(event.run_id)) {
    runs.set(event.run_id, { title: event.run_id, status: "running", depths: new Map(), newest: [],
      waiting: new Set(), evd: null });
  }
  const run = runs.get(event.run_id), record = event.probe ?? event.item;
  if (event.spec) {
    run.title = `${event.spec.domain} · ${event.spec.target ?? ""}`;
    run.status = "running";
    run.waiting.clear();
  }
  if (event.type === "probe_asked") run.waiting.add(event.probe_id);
  if (event.type === "depth_closed") {
    run.depths.set(event.row.depth, event.row);
    run.evd = event.evd;
  }
  if (event.type === "run_finished") run.status = event.status;
  if (!record) return;
  run.waiting.delete(record.id);
  const outcome = record.outcome ?? {};
  run.newest.unshift({ verdict: outcome.verdict ?? outcome.status ?? "finished",
    about: (record.chain ?? [record.concept ?? record.id]).join(" › "),
    text: record.question?.text ?? "" });
  run.newest.length = Math.min(run.newest.length, NEWEST);
}

async function study(id) {
  const runs = new Map(), place = element("div"), head = element("div");
  main.replaceChildren(head, place);
  let waiting = false, open = true;
  const draw = () => {
    waiting = false;
    const isDone = (run) => Number(run.status !== "running");
    const shown = [...runs.values()].sort((one, other) => isDone(one) - isDone(other));
    place.replaceChildren(...shown.slice(0, PANELS).map(panel));
  };
  const refresh = async () => {
    const now = await ask(`/v1/studies/${id}`);
    status.textContent = [now.state, now.error].filter(Boolean).join(": ");
    const links = now.state === "complete"
      ? element("p", {}, element("a", { href: `/v1/studies/${id}/report.html` }, "Open the report"))
      : null;
    head.replaceChildren(element("h2", {}, `Study ${id}`), cells(now), links ?? "");
  };
  const source = new EventSource(`/v1/studies/${id}/events`);
  const timer = setInterval(() => refresh().catch(failed), REFRESH_MS);
  source.onmessage = (message) => {
    if (!open) return;
    take(runs, JSON.parse(message.data));
    if (!waiting) { waiting = true; requestAnimationFrame(draw); }
  };
  source.addEventListener("end", () => { leave(); refresh().catch(failed); });
  leave = () => { open = false; source.close(); clearInterval(timer); };
  await refresh();
}

function failed(error) {
  if (error.message === "token") { leave(); login(); } else status.textContent = error.message;
}

function show() {
  leave();
  leave = () => {};
  const id = location.hash.slice(1);
  (/^[0-9a-f]{16}$/.test(id) ? study(id) : studies()).catch(failed);
}

addEventListener("hashchange", show);
show();
