"use strict";
// Scores cases with a "codelength scorer" document, version 1 or 2. No dependencies; the same answers as Python.

// Class probabilities of a case, and what each known variable adds to the log-odds of each class against the
// reference class. `given` maps names to cells (an object or a Map); what is unknown is absent, null or "".
// Returns {probabilities, undefined, places, evidence}: one place per variable, -1 where it adds nothing, and
// one entry {variable, logOdds} per variable that says something.
function codelengthScore(document, given, reference = 0) {
  codelengthScore.check(document);
  const places = document.variables.map((variable) => codelengthScore.place(variable, given));
  const rows = places.map((place, i) =>
    (place < 0 ? null : document.variables[i].table[place].map(codelengthScore.number)));
  const added = (sums, row) => sums.map((total, k) => total + codelengthScore.number(row[k]));
  const group = (i) => document.variables[i].groups.at(places[i]);
  for (const { variable, given: parent, table } of document.pairs || []) {
    if (rows[variable]) rows[variable] = added(rows[variable], table[group(variable)][group(parent)]);
  }
  const sums = rows.reduce((total, row) => (row ? added(total, row) : total),
    document.class_table.map(codelengthScore.number));
  const evidence = [];
  rows.forEach((row, i) => {
    if (!row) return;
    const against = row[reference];
    const logOdds = row.map((w) => (w === -Infinity && against === -Infinity ? 0 : w - against));
    evidence.push({ variable: i, logOdds });
  });
  const shared = codelengthScore.normalised(sums);
  const floor = document.floor || sums.map(() => 0);
  const rest = Math.max(0, 1 - floor.reduce((a, b) => a + b, 0));
  const probabilities = shared.probabilities.map((p, k) => floor[k] + rest * p);
  return { probabilities, undefined: shared.undefined, places, evidence };
}

// The unknown variables and how many bits about the class each is expected to bring, most bits first.
function codelengthAsk(document, given) {
  if (document.version !== 1) throw new Error("the model does not describe the values of its variables");
  const { probabilities, places } = codelengthScore(document, given);
  const asked = [];
  document.variables.forEach(({ table }, i) => {
    if (places[i] >= 0) return;
    const givenClass = probabilities.map(
      (_, k) => codelengthScore.normalised(table.map((row) => codelengthScore.number(row[k]))).probabilities);
    let bits = 0;
    table.forEach((_, place) => {
      const ofValue = probabilities.reduce((sum, p, k) => sum + p * givenClass[k][place], 0);
      probabilities.forEach((p, k) => {
        const own = givenClass[k][place];
        if (p > 0 && own > 0) bits += p * own * Math.log2(own / ofValue);
      });
    });
    asked.push({ variable: i, bits: Math.max(bits, 0) });
  });
  return asked.sort((a, b) => b.bits - a.bits || a.variable - b.variable);
}

codelengthScore.check = (document) => {
  if (!document || document.format !== "codelength scorer" || ![1, 2].includes(document.version)) {
    throw new Error("not a scorer document of version 1 or 2; export the model again");
  }
};

codelengthScore.number = (weight) => (weight === null ? -Infinity : weight);

codelengthScore.normalised = (logWeights) => {
  const highest = logWeights.reduce((a, b) => Math.max(a, b), -Infinity);
  if (highest === -Infinity) {
    return { probabilities: logWeights.map(() => 1 / logWeights.length), undefined: true };
  }
  const weights = logWeights.map((weight) => Math.exp(weight - highest));
  const total = weights.reduce((a, b) => a + b, 0);
  return { probabilities: weights.map((weight) => weight / total), undefined: false };
};

// Row of the table that a cell points to; -1 for one that adds nothing.
codelengthScore.place = (variable, given) => {
  const { name, kind } = variable;
  const own = given instanceof Map ? given.get(name)
    : Object.prototype.hasOwnProperty.call(given, name) ? given[name] : undefined;
  if (own === undefined) return -1;
  const labels = kind === "values" ? variable.values : variable.labels;
  if (own !== null && !Number.isNaN(own)) {
    const found = kind === "values" ? codelengthScore.listed(labels, own) : codelengthScore.interval(variable, own);
    if (found >= 0 || own !== "") return found;
  }
  return labels[labels.length - 1] === null ? labels.length - 1 : -1;
};

// Place of a value: the very same one, or else one of another type that is spelt alike.
codelengthScore.listed = (values, cell) => {
  const isText = (value) => typeof value === "string";
  const same = values.findIndex(
    (v) => v !== null && isText(v) === isText(cell) && (isText(v) ? v === cell : Number(v) === Number(cell)));
  if (same >= 0) return same;
  return values.findIndex((v) => {
    if (v === null || isText(v) === isText(cell)) return false;
    const [text, other] = isText(cell) ? [cell, v] : [v, cell];
    return codelengthScore.spelt(text) === Number(other)
      || (typeof other === "boolean" && text.toLowerCase() === String(other));
  });
};

// Place of the interval that a number or a time falls into, or of a label.
codelengthScore.interval = ({ scale = "number", cuts, labels }, cell) => {
  const number = typeof cell === "string" ? codelengthScore.measured(cell, scale) : Number(cell);
  if (Number.isFinite(number)) return cuts.filter((cut) => cut <= number).length;
  return labels.indexOf(cell);
};

codelengthScore.spelt = (text) =>
  /^[ \t\n\v\f\r]*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t\n\v\f\r]*$/.test(text) ? Number(text) : NaN;

// Text as a number on a scale, NaN where it is not on it: microseconds, or what an amount counts in.
codelengthScore.measured = (text, scale) => {
  const clock = (hours, minutes, seconds, digits) =>
    ((hours * 60 + minutes) * 60 + seconds) * 1e6 + Number((digits || "0").slice(0, 6).padEnd(6, "0"));
  if (scale === "number") return codelengthScore.spelt(text);
  if (scale === "clock") {
    const m = /^([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(?:\.([0-9]+))?$/.exec(text);
    return m ? clock(Number(m[1]), Number(m[2]), Number(m[3]), m[4]) : NaN;
  }
  if (scale !== "date" && scale !== "utc") {
    const m = /^(-?[0-9]+(?:\.[0-9]+)?) (?:s|months)$/.exec(text);
    return m ? Number(m[1]) : codelengthScore.spelt(text);
  }
  const stamp = /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(?:(Z)|([+-][0-9]{2}):?([0-9]{2})?)?)?$/;
  const m = stamp.exec(text);
  if (!m || (scale === "utc") === (m[8] === undefined && m[9] === undefined)) return NaN;
  const [year, month, day, hours, minutes, seconds] = m.slice(1, 7).map((part) => Number(part || 0));
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  if (year < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return NaN;
  if (hours > 23 || minutes > 59 || seconds > 59) return NaN;
  const ahead = m[9] ? Number(m[9]) * 60 + Number(m[9][0] + (m[10] || 0)) : 0;
  return (date.getTime() / 86400e3) * 86400e6 + clock(hours, minutes, seconds, m[7]) - ahead * 60e6;
};
