"use strict";
// Scores cases with a "codelength scorer" document, version 1 or 2. No dependencies; the same answers as Python.

// Class probabilities of a case, and what each known variable adds to the log-odds of each class against the
// reference class. `given` maps names to cells (an object or a Map); what is unknown is absent.
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
  asked.sort((a, b) => b.bits - a.bits);
  const levels = new Map();
  asked.forEach((one, i) => {
    const before = asked[i - 1];
    const isLess = before && before.bits - one.bits > codelengthScore.tolerance * Math.max(before.bits, 1);
    levels.set(one, before ? levels.get(before) + Number(isLess) : 0);
  });
  return asked.sort((a, b) => levels.get(a) - levels.get(b) || a.variable - b.variable);
}

// Numbers that differ by less are equal; the first of them wins.
codelengthScore.tolerance = 1e-10;

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
  const weights = logWeights.map((weight) =>
    (highest - weight <= codelengthScore.tolerance ? 1 : Math.exp(weight - highest)));
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
    return kind === "values" ? codelengthScore.listed(labels, own) : codelengthScore.interval(variable, own);
  }
  return labels[labels.length - 1] === null ? labels.length - 1 : -1;
};

// Place of a value: the very same one, or one of another type that is spelt alike, or the same time.
codelengthScore.listed = (values, cell) => {
  const isText = (value) => typeof value === "string";
  const { digits } = codelengthScore;
  const isLarge = (number) => number !== null && Math.abs(Number(number)) >= 2 ** 53;
  if (typeof cell === "number" && isLarge(cell) && values.some((v) => isText(v) && isLarge(digits(v)))) {
    throw new Error(`the number ${cell} has lost digits; give whole numbers of 2**53 or more as text or BigInt`);
  }
  const same = values.findIndex(
    (v) => v !== null && isText(v) === isText(cell) && (isText(v) ? v === cell : digits(v) === digits(cell)));
  if (same >= 0) return same;
  const alike = values.findIndex((v) => {
    if (v === null || isText(v) === isText(cell)) return false;
    const [text, other] = isText(cell) ? [cell, v] : [v, cell];
    return digits(text) === digits(other)
      || (typeof other === "boolean" && text.toLowerCase() === String(other));
  });
  if (alike >= 0 || !isText(cell)) return alike;
  const form = codelengthScore.time(cell);
  return form === null ? -1
    : values.map((v) => isText(v) && (codelengthScore.time(v) ?? v) === form).lastIndexOf(true);
};

// A number, however it is given, as text that equal numbers share; null for text that is no number.
codelengthScore.digits = (value) => {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "string" && /^[ \t\n\v\f\r]*[+-]?[0-9]+[ \t\n\v\f\r]*$/.test(value)) return String(BigInt(value));
  const number = typeof value === "string" ? codelengthScore.spelt(value) : Number(value);
  if (typeof value === "string" && Number.isNaN(number)) return null;
  return Number.isInteger(number) ? String(BigInt(number)) : String(number);
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
  const stamp = codelengthScore.stamp(text);
  if (!stamp || (scale === "utc") !== stamp.aware) return NaN;
  return (stamp.midnight / 86400e3) * 86400e6 + clock(0, 0, stamp.seconds, stamp.digits) - stamp.ahead * 60e6;
};

// The parts of a date, with or without a time; null for text that is none.
codelengthScore.stamp = (text) => {
  const m = /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(?:(Z)|([+-][0-9]{2}):?([0-9]{2})?)?)?$/.exec(text);
  if (!m) return null;
  const [year, month, day, hours, minutes, seconds] = m.slice(1, 7).map((part) => Number(part || 0));
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  if (year < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  if (hours > 23 || minutes > 59 || seconds > 59) return null;
  return {
    midnight: date.getTime(),
    seconds: (hours * 60 + minutes) * 60 + seconds,
    digits: m[7] || "",
    aware: m[8] !== undefined || m[9] !== undefined,
    ahead: m[9] ? Number(m[9]) * 60 + Number(m[9][0] + (m[10] || 0)) : 0,
  };
};

// A date or a time of day in its one form; null for text that is none.
codelengthScore.time = (text) => {
  const trimmed = (number) => (number.includes(".") ? number.replace(/\.?0*$/, "") : number);
  if (/^[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?$/.test(text)) return text < "24" ? trimmed(text) : text;
  const stamp = codelengthScore.stamp(text);
  if (!stamp) return null;
  const moment = new Date(stamp.midnight + stamp.seconds * 1e3 - stamp.ahead * 60e3);
  if (moment.getUTCFullYear() < 1 || moment.getUTCFullYear() > 9999) return null;
  const form = trimmed(`${moment.toISOString().slice(0, 19)}.${stamp.digits || 0}`);
  return stamp.aware ? `${form}+00:00` : form.replace(/T00:00:00$/, "");
};
