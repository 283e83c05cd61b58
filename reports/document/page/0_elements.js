"use strict";
// Every text goes into the page as a text node; nothing is ever read as markup.

/** An element: `h("p.said", { dir: "auto" }, "text", child)`. Attributes may be left out; so may children. */
function h(name, ...children) {
  const [tag, ...classes] = name.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  const given = children[0]?.constructor === Object ? children.shift() : {};
  for (const [key, value] of Object.entries(given)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value || value === 0) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter(child => child || child === 0));
  return made;
}

const button = (text, onclick) => h("button", { type: "button", onclick }, text);

/** Hand a text over as a file. */
function save(name, type, text) {
  const href = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

