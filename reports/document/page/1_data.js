const styled = (tag, style) => [tag, ...(style ? style.split(" ").map(word => `s-${word}`) : [])].join(".");
const scrolling = (name, ...children) =>
  h("div.scrolls", { tabindex: "0", role: "group", "aria-label": name }, ...children);

/** A closed element that is filled when it is first opened. */
function lazy(name, attributes, summary, filled) {
  const made = h(name, attributes, summary);
  made.fill = () => made.children.length > 1 || made.append(...filled());
  made.addEventListener("toggle", () => made.open && made.fill());
  return made;
}

/** The first of the nodes, and a button for all of them where there are more. */
function some(all, made, most = 400) {
  const place = h("div", all.slice(0, most).map(made));
  const rest = () => place.replaceChildren(...all.map(made));
  if (all.length > most) place.append(button(`List all ${all.length}`, rest));
  return place;
}

const counted = (number, one) => `${number.toLocaleString("en")} ${one}${number === 1 ? "" : "s"}`;

// what the page holds

let overview;
const opened = new Map();

async function unpacked(id) {
  const packed = document.getElementById(id) ?? overviewPage.querySelector(`#${id}`); // which may be out of sight
  const bytes = Uint8Array.from(atob(packed.textContent), sign => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const known = id => overview.runs.find(each => each.id === id);

async function runOf(id) {
  if (!opened.has(id)) opened.set(id, unpacked(`run-${id}`));
  return opened.get(id);
}

// the address: #run/step?with=run&mark=wrong&kind=textbook&text=…&differs=1

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // typed by hand
  }
}

function address() {
  const [path, ...query] = location.hash.slice(1).split("?");
  const [id, ...step] = path.split("/").map(decoded);
  const said = {
    with: "",
    mark: "",
    kind: "",
    text: "",
    differs: "",
    ...Object.fromEntries(new URLSearchParams(query.join("?"))),
  };
  return { ...said, id, step: step.join("/") };
}

function link({ id = "", step = "", ...rest }) {
  const query = new URLSearchParams(Object.entries(rest).filter(([, value]) => value)).toString();
  const place = encodeURI(step).replace(/[?#]/g, encodeURIComponent);
  return `#${id}${place && `/${place}`}${query && `?${query}`}`;
}

const go = to => (location.hash = link(to));

// files

function csv(rows) {
  const quoted = value => (/[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const heads = Object.keys(rows[0] ?? {});
  return [heads, ...rows.map(row => heads.map(head => row[head] ?? ""))]
    .map(cells => `${cells.map(cell => quoted(String(cell))).join(",")}\n`)
    .join("");
}
