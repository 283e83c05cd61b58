// pictures, and what the page says of a run without any script

const overviewPage = document.getElementById("overview-page");
const dim = lines => lines.map(each => h("p.s-dim", each));

/** What stands behind the click on a run, without its first line and the link to its steps. */
function aboutRun(id) {
  const [, , ...parts] = overviewPage.querySelector(`#about-${id}`).children;
  return parts.map(each => each.cloneNode(true));
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
