"use strict";

// Sends the file that is chosen or dropped, and asks from time to time how far the work is.

const POLL_MS = 700;
const GONE = "The server does not answer. It may have been ended; start codelength serve again.";

function prepareDrop(form) {
  const input = form.querySelector("input[type=file]");
  const state = document.getElementById("upload-state");
  input.addEventListener("change", () => input.files.length && send(input.files[0], form, state));
  for (const kind of ["dragenter", "dragover"]) {
    form.addEventListener(kind, (event) => {
      event.preventDefault();
      form.classList.add("dragged");
    });
  }
  form.addEventListener("dragleave", () => form.classList.remove("dragged"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("dragged");
    if (event.dataTransfer.files.length) send(event.dataTransfer.files[0], form, state);
  });
  // A file that misses the box would take the place of the page.
  for (const kind of ["dragover", "drop"]) document.addEventListener(kind, (event) => event.preventDefault());
}

async function send(file, form, state) {
  if (form.dataset.busy) return;
  if (file.size > Number(form.dataset.limit)) {
    fail(state, `The file is larger than ${form.dataset.limitWords}. Take fewer rows, or start codelength serve ` +
      "with a larger --limit-mb.");
    return;
  }
  form.dataset.busy = "yes";
  state.classList.remove("trouble");
  state.textContent = `Sending ${file.name} ...`;
  try {
    const answer = await fetch("/tables", {
      method: "POST",
      headers: { "Content-Type": "application/octet-stream", "X-File-Name": encodeURIComponent(file.name) },
      body: file,
    });
    const told = await answer.json();
    if (answer.ok) location.assign(told.location);
    else fail(state, told.message);
  } catch {
    fail(state, GONE);
  }
  delete form.dataset.busy;
}

function fail(state, message) {
  state.textContent = message.charAt(0).toUpperCase() + message.slice(1);
  state.classList.add("trouble");
}

function follow(element) {
  const stage = document.getElementById("stage");
  const bar = document.getElementById("progress");
  let known = null;
  const ask = async () => {
    try {
      const told = await (await fetch(element.dataset.poll)).json();
      const ready = (told.ready || []).length;
      const over = !["waiting", "running"].includes(told.state);
      if (over || (known !== null && ready > known)) {
        location.reload();
        return;
      }
      known = ready;
      if (stage && told.words && stage.textContent !== told.words) stage.textContent = told.words;
      if (bar && told.share !== null) bar.value = Number(told.share);
      else if (bar) bar.removeAttribute("value");
    } catch {
      (stage || element).textContent = GONE;
    }
    setTimeout(ask, POLL_MS);
  };
  ask();
}

const drop = document.getElementById("drop");
if (drop) prepareDrop(drop);
for (const element of document.querySelectorAll("[data-poll]")) follow(element);
