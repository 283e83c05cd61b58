"use strict";
const exam = JSON.parse(document.getElementById("exam").textContent);
const main = document.querySelector("main");
const key = `fathom-exam ${exam.exam}`;
let { answers, place } = stored() ?? { answers: {}, place: 0 };

/** What was kept in this browser; nothing where it keeps nothing. */
function stored() {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

function keep() {
  try {
    localStorage.setItem(key, JSON.stringify({ answers, place }));
    return true;
  } catch {
    return false;
  }
}

function h(tag, fields, ...children) {
  const made = Object.assign(document.createElement(tag), fields);
  made.append(...children);
  return made;
}

function save() {
  const whole = Object.fromEntries(exam.questions.map(([id]) => [id, (answers[id] ?? "").trim()]));
  const text = JSON.stringify({ format: "fathom-exam/1", exam: exam.exam, run: exam.run, answers: whole }, null, 1);
  const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  h("a", { href, download: `exam-${exam.exam.slice(0, 8)}-answers.json` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

function go(to) {
  place = Math.max(0, Math.min(exam.questions.length, to));
  keep();
  show();
}

const button = (textContent, onclick, more) => h("button", { type: "button", textContent, onclick, ...more });

function show() {
  const total = exam.questions.length;
  const answered = exam.questions.filter(([id]) => (answers[id] ?? "").trim()).length;
  const bar = h("progress", { max: total, value: place, ariaLabel: "How far you are" });
  const kept = keep() ? "Answers are kept in this browser." : "This browser keeps nothing: save before you close it.";
  const about = h("p", { className: "faint", textContent: `${answered} of ${total} answered. ${kept}` });
  const back = button("Back", () => go(place - 1), { disabled: place === 0 });
  if (place === total) {
    const words = "That was the last question. Save the answers, and send the file to whoever gave you this page.";
    const first = button("Save answers", save, { className: "first" });
    main.replaceChildren(bar, h("h2", { textContent: words }), h("nav", {}, first, back), about);
    first.focus();
    return;
  }
  const [id, text] = exam.questions[place];
  const box = h("textarea", { value: answers[id] ?? "", dir: "auto", maxLength: 10000, ariaLabel: "Your answer" });
  box.oninput = () => {
    answers[id] = box.value;
    keep();
  };
  box.onkeydown = event => event.key === "Enter" && (event.ctrlKey || event.metaKey) && go(place + 1);
  const next = button("Next", () => go(place + 1), { className: "first", title: "Ctrl+Enter" });
  const end = button("Save answers so far", save);
  const number = h("p", { className: "faint", textContent: `Question ${place + 1} of ${total}` });
  main.replaceChildren(bar, number, h("h2", { textContent: text, dir: "auto" }), box, h("nav", {}, next, back, end), about);
  box.focus();
}

show();
