"use strict";
// What if: choose values of a new case; probabilities, evidence and the address of the page follow.
// Everything that comes from a table is shown with textContent, never as markup.
(() => {
  const place = document.getElementById("whatif-app");
  const rules = JSON.parse(document.getElementById("whatif-data").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const MOST_CLASSES = 8, FIRST = 12, MOST_ASKED = 3, MARK = "#case?";
  const first = rules[0].scorer, classes = first.classes, variables = first.variables;
  const given = new Map();
  // Two classes: the second against the first. More: the most common one against the next.
  const byPrior = classes.map((_, k) => k)
    .sort((a, b) => (first.prior_log_probs[b] ?? -Infinity) - (first.prior_log_probs[a] ?? -Infinity) || a - b);
  const state = classes.length === 2 ? { rule: 0, of: 1, against: 0 } : { rule: 0, of: byPrior[0], against: byPrior[1] };

  const make = (name, attributes = {}, ...children) => {
    const node = document.createElement(name);
    Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
    node.append(...children);
    return node;
  };
  const draw = (name, attributes = {}, ...children) => {
    const node = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
    node.append(...children);
    return node;
  };
  const shown = (value) => {
    if (value === null) return "(missing)";
    const flat = String(value).replace(/\s+/g, " ")
      .replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd").trim();
    return flat === "" ? "(empty)" : flat.length > 48 ? `${flat.slice(0, 31)}…${flat.slice(-16)}` : flat;
  };
  const percent = (p) => {
    if (p > 0 && p < 0.0005) return "< 0.1 %";
    if (p < 1 && p > 0.9995) return "> 99.9 %";
    return `${(100 * p).toFixed(1)} %`;
  };
  const bits = (x) => (Number.isFinite(x) ? Math.abs(x).toFixed(2) : "∞");
  const signed = (x) => (Math.abs(x) < 0.005 ? "0.00" : `${x > 0 ? "+" : "−"}${bits(x)}`);
  const isColoured = classes.length <= 7;

  // Controls: one per variable, native ones.
  const labelsOf = (variable) => (variable.kind === "values" ? variable.values : variable.labels);
  const isMeasured = (variable) => variable.kind === "intervals" && (variable.scale || "number") === "number";

  const choice = (variable, id) => {
    const select = make("select", { id }, make("option", { value: "" }, "not known"));
    labelsOf(variable).forEach((value, n) => select.append(make("option", { value: String(n) }, shown(value))));
    select.addEventListener("change", () => {
      if (select.value === "") given.delete(variable.name);
      else given.set(variable.name, labelsOf(variable)[Number(select.value)]);
      update();
    });
    const show = () => {
      const at = given.has(variable.name) ? codelengthScore.place(variable, given) : -1;
      select.value = at < 0 ? "" : String(at);
    };
    return { node: select, show };
  };

  const measure = (variable, id) => {
    const { cuts } = variable;
    const hint = cuts.length ? `e.g. ${Number(cuts[Math.floor(cuts.length / 2)].toPrecision(4))}` : "a number";
    const input = make("input", { id, type: "text", inputmode: "decimal", autocomplete: "off", placeholder: hint });
    input.addEventListener("input", () => {
      const text = input.value.trim();
      if (text === "") given.delete(variable.name);
      else given.set(variable.name, text);
      update();
    });
    const show = () => {
      if (input !== document.activeElement) input.value = given.has(variable.name) ? given.get(variable.name) ?? "" : "";
      const isUnclear = given.has(variable.name) && codelengthScore.place(variable, given) < 0;
      input.setAttribute("aria-invalid", String(isUnclear));
    };
    return { node: input, show };
  };

  const rows = variables.map((variable, i) => {
    const id = `whatif-${i}`;
    const control = (isMeasured(variable) && labelsOf(variable).length > 1 ? measure : choice)(variable, id);
    const bar = draw("rect", { height: 10, y: 3, class: "for" });
    const zero = draw("line", { x1: "50%", x2: "50%", y1: 0, y2: 16, class: "zero" });
    const figure = make("output", { for: id, class: "n" });
    const told = make("small");
    const node = make("div", { class: "ask" },
      make("label", { for: id }, shown(variable.name)), make("div", { class: "control" }, control.node, told),
      draw("svg", { class: "bar", "aria-hidden": "true" }, bar, zero), figure);
    return { variable, control, bar, figure, told, node };
  });

  // What is shown: probabilities, all rules, the sum of evidence, what to ask next.
  const probabilities = make("ul", { class: "bars outcome" });
  const verdict = make("p", { class: "hint", role: "status" });
  const comparison = make("div", { class: "scroll", role: "group", tabindex: "0", "aria-label": "Probabilities under all rules" });
  const next = make("div", { class: "next" });
  const sums = make("p", { class: "hint sum" });

  const option = (value, words) => make("option", { value: String(value) }, words);
  const chooser = (id, words, key) => {
    const select = make("select", { id }, ...classes.map((label, k) => option(k, shown(label))));
    select.addEventListener("change", () => { state[key] = Number(select.value); update(); });
    return { node: make("label", { for: id }, `${words} `, select), show: () => { select.value = String(state[key]); } };
  };
  const pair = [chooser("whatif-of", "Evidence for", "of"), chooser("whatif-against", "against", "against")];

  const ruleSet = make("fieldset", { class: "rules" }, make("legend", {}, "Rule"));
  const ruleInputs = rules.map(({ title }, n) => {
    const input = make("input", { type: "radio", name: "whatif-rule", id: `whatif-rule-${n}`, value: String(n) });
    input.addEventListener("change", () => { state.rule = n; update(); });
    ruleSet.append(make("span", {}, input, make("label", { for: input.id }, title)));
    return input;
  });

  const reset = make("button", { type: "button" }, "Start again");
  reset.addEventListener("click", () => {
    given.clear();
    rows.forEach(({ control }) => { if ("value" in control.node) control.node.value = ""; });
    update();
  });
  const copy = make("button", { type: "button" }, "Copy link");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(String(window.location));
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Copy the address above";
    }
    setTimeout(() => { copy.textContent = "Copy link"; }, 2000);
  });

  const form = make("form", { class: "asks" }, ...rows.slice(0, FIRST).map(({ node }) => node));
  form.addEventListener("submit", (event) => event.preventDefault());
  const more = rows.slice(FIRST);
  const folded = make("details", { class: "more" },
    make("summary", {}, `${more.length} more variable${more.length === 1 ? "" : "s"}`), ...more.map(({ node }) => node));
  if (more.length) form.append(folded);

  place.replaceChildren(
    make("div", { class: "panel" },
      make("h3", {}, `Probability of ${shown(first.target)}`), probabilities, verdict, ruleSet),
    make("div", { class: "case" },
      make("h3", {}, "What is known"),
      make("p", { class: "pair" }, ...pair.map(({ node }) => node)),
      next, form, sums, make("p", { class: "buttons" }, reset, copy),
      make("details", {}, make("summary", {}, "All rules side by side"), comparison)));

  // From the address and back.
  const read = () => {
    given.clear();
    if (!window.location.hash.startsWith(MARK)) return;
    const known = new URLSearchParams(window.location.hash.slice(MARK.length));
    const rule = rules.findIndex((one) => one.rule === known.get("rule"));
    state.rule = Math.max(rule, 0);
    variables.forEach((variable) => {
      const text = known.get(`v.${variable.name}`), number = known.get(`n.${variable.name}`);
      if (text !== null) given.set(variable.name, text);
      else if (number !== null) given.set(variable.name, labelsOf(variable)[Number(number)]);
    });
    ["of", "against"].forEach((key) => {
      const k = Number(known.get(key) ?? NaN);
      if (Number.isInteger(k) && k >= 0 && k < classes.length) state[key] = k;
    });
  };
  const write = () => {
    const known = new URLSearchParams({ rule: rules[state.rule].rule });
    if (classes.length > 2) { known.set("of", state.of); known.set("against", state.against); }
    given.forEach((value, name) => {
      const variable = variables.find((one) => one.name === name);
      // A value that is no text, or is missing, goes by its number, so that it comes back as it was.
      if (typeof value === "string" && value !== "") known.set(`v.${name}`, value);
      else known.set(`n.${name}`, codelengthScore.place(variable, given));
    });
    const isEmpty = given.size === 0 && state.rule === 0;
    const hash = isEmpty ? "#what-if" : MARK + known;
    if (isEmpty && !window.location.hash.startsWith(MARK)) return;
    try { window.history.replaceState(null, "", hash); } catch { /* a page within a page has no address */ }
  };

  const outcome = (score) => {
    const order = score.probabilities.map((_, k) => k);
    if (classes.length > 3) order.sort((a, b) => score.probabilities[b] - score.probabilities[a] || a - b);
    const items = order.slice(0, MOST_CLASSES).map((k) => {
      const p = score.probabilities[k];
      const start = Math.exp(rules[state.rule].scorer.prior_log_probs[k] ?? -Infinity);
      return make("li", {}, make("span", { class: "who" }, shown(classes[k])),
        draw("svg", { class: "bar", "aria-hidden": "true" },
          draw("rect", { width: "100%", height: 14, y: 1, class: "track" }),
          draw("rect", { width: `${100 * p}%`, height: 14, y: 1, class: isColoured ? `k${k}` : "fill" }),
          draw("line", { x1: `${100 * start}%`, x2: `${100 * start}%`, y1: 0, y2: 16, class: "prior" })),
        make("span", { class: "n" }, percent(p)));
    });
    const rest = order.slice(MOST_CLASSES);
    if (rest.length) {
      const p = rest.reduce((sum, k) => sum + score.probabilities[k], 0);
      items.push(make("li", {}, make("span", { class: "who" }, `${rest.length} others`),
        draw("svg", { class: "bar", "aria-hidden": "true" }), make("span", { class: "n" }, percent(p))));
    }
    probabilities.replaceChildren(...items);
  };

  const allRules = (scores) => {
    const order = classes.map((_, k) => k);
    const chosen = scores[state.rule].probabilities;
    if (classes.length > MOST_CLASSES) order.sort((a, b) => chosen[b] - chosen[a] || a - b);
    const head = make("tr", {}, make("th", { scope: "col" }, "class"),
      ...rules.map(({ short }) => make("th", { scope: "col", class: "n" }, short)));
    const body = order.slice(0, MOST_CLASSES).map((k) => make("tr", {}, make("th", { scope: "row" }, shown(classes[k])),
      ...scores.map((score) => make("td", { class: "n" }, percent(score.probabilities[k])))));
    comparison.replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)));
  };

  const evidence = (score) => {
    const own = new Map(score.evidence.map(({ variable, logOdds }) => [variable, logOdds[state.of] / Math.LN2]));
    const finite = [...own.values()].filter(Number.isFinite).map(Math.abs);
    const limit = Math.max(1, ...finite) * (finite.length === own.size ? 1 : 1.2);
    rows.forEach(({ variable, bar, figure, told, node, control }, i) => {
      const x = own.get(i);
      const width = x === undefined ? 0 : 48 * Math.min(Math.abs(x) / limit, 1);
      bar.setAttribute("width", `${width}%`);
      bar.setAttribute("x", `${x < 0 ? 50 - width : 50}%`);
      bar.setAttribute("class", x < 0 ? "con" : "for");
      figure.textContent = x === undefined ? "" : signed(x);
      node.classList.toggle("known", x !== undefined);
      control.show();
      const at = score.places[i];
      told.textContent = control.node.tagName !== "INPUT" || !given.has(variable.name) ? ""
        : at < 0 ? "not a number that is known" : shown(labelsOf(variable)[at]);
    });
    const from = rules[state.rule].scorer.prior_log_probs;
    const start = ((from[state.of] ?? -Infinity) - (from[state.against] ?? -Infinity)) / Math.LN2;
    let end = start;
    own.forEach((x) => { end += x; });
    sums.textContent = state.of === state.against ? "Choose two different classes."
      : `Log-odds of ${shown(classes[state.of])} against ${shown(classes[state.against])}, in bits: `
        + `${signed(start)} before anything is known, ${Number.isNaN(end) ? "undefined" : signed(end)} now.`;
  };

  const askNext = (asked) => {
    const best = asked.slice(0, MOST_ASKED).filter((one) => one.bits > 0.0005);
    if (!best.length) {
      next.replaceChildren(make("p", { class: "hint" }, asked.length ? "Nothing that is left to ask would tell much." : "Everything is known."));
      return;
    }
    const buttons = best.map(({ variable, bits: expected }) => {
      const button = make("button", { type: "button" }, shown(variables[variable].name),
        make("small", {}, ` ${expected.toFixed(2)} bits`));
      button.addEventListener("click", () => {
        if (variable >= FIRST) folded.open = true;
        rows[variable].control.node.focus();
        rows[variable].node.scrollIntoView({ block: "center" });
      });
      return button;
    });
    next.replaceChildren(make("p", {}, make("b", {}, "What to ask next"), ", by bits it is expected to tell: ", ...buttons));
  };

  const update = () => {
    const scores = rules.map(({ scorer }) => codelengthScore(scorer, given, state.against));
    const score = scores[state.rule];
    outcome(score);
    allRules(scores);
    evidence(score);
    askNext(codelengthAsk(rules[state.rule].scorer, given));
    pair.forEach((one) => one.show());
    ruleInputs.forEach((input, n) => { input.checked = n === state.rule; });
    const known = score.evidence.length;
    verdict.textContent = score.undefined
      ? "This rule calls every class impossible, so all are shown as equally probable."
      : known ? `${known} of ${variables.length} known. Lines: before anything is known.` : "Nothing is known yet.";
    write();
  };

  window.addEventListener("hashchange", () => {
    if (window.location.hash.startsWith(MARK)) { read(); update(); }
  });
  read();
  update();
  if (window.location.hash.startsWith(MARK)) document.getElementById("what-if").scrollIntoView();
  // For tests, and for the console: the probabilities of any case.
  window.codelengthWhatIf = (rule, values) =>
    codelengthScore(rules.find((one) => one.rule === rule).scorer, new Map(Object.entries(values))).probabilities;
})();
