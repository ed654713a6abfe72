// Facts that the tests show: made here, not about real people.

const interval = (mean, half) => ({ mean, low: mean - half, high: mean + half });

function histogram(low, high) {
  return Array.from({ length: high - low + 1 }, (_, i) => ({
    value: low + i,
    people: Math.round(38 * Math.exp(-((i - 9) ** 2) / 180)) + (i % 3) + 3,
  }));
}

function groupsOver(cells, bounds) {
  return bounds.map(([low, high]) => {
    const inside = cells.filter((cell) => cell.value >= low && cell.value <= high);
    return { label: `${low}-${high}`, low, high, people: inside.reduce((sum, cell) => sum + cell.people, 0), values: inside.length };
  });
}

function channelOf(clusters, stay) {
  const ids = Array.from({ length: clusters }, (_, i) => i);
  const matrix = ids.map((i) => {
    const weights = ids.map((j) => Math.exp(-stay * Math.abs(i - j)) * (1 + ((i * 7 + j * 3) % 5) / 5));
    const total = weights.reduce((a, b) => a + b, 0);
    return weights.map((w) => w / total);
  });
  return { clusters: ids, matrix };
}

const METHODS = ["fine", "exact", "hyobscure", "xobf", "ygen", "privcheck", "dp", "frapp", "simp", "random"];

function frontierOf(methods) {
  return methods.map((method, m) => ({
    method,
    points: [0.32, 0.36, 0.4, 0.44, 0.48, 0.52].map((budget) => {
      const features = (0.5 + 0.12 * m) * Math.exp(-(budget - 0.3) * (24 - 1.6 * m));
      return { budget, distance: budget - 0.001 * m, leakage: 1.75 + features, features, gap: m < 2 ? 1e-5 : null };
    }),
  }));
}

function tradeoffOf(methods) {
  return methods.map((method, m) => ({
    method,
    points: [0.32, 0.38, 0.44, 0.5].map((budget, i) => ({
      budget,
      distance: budget,
      leakage: 2.2 - 0.1 * i,
      attack: interval(3.5 + 0.22 * i - 0.04 * m, 0.05),
      utility: interval(1.01 + 0.006 * i * (1 + 0.15 * m), 0.003),
    })),
  }));
}

const RANGES = [
  [18, 24, 198],
  [25, 34, 280],
  [35, 44, 203],
  [45, 50, 121],
];

/** Ages whose groups have the given sizes. */
const AGES = RANGES.flatMap(([low, high, people]) => {
  const values = high - low + 1;
  return Array.from({ length: values }, (_, i) => ({
    value: low + i,
    people:
      Math.floor(((i + 1) * people) / values) -
      Math.floor((i * people) / values) +
      ((i % 2) * 2 - 1) * (i + 1 < values || values % 2 === 0 ? 3 : 0),
  }));
});

export const full = {
  format: 1,
  program: "hyobscure 0.5.0",
  made: "2026-11-15",
  title: "Film ratings of 802 people, ages in four ranges",
  data: {
    people: 802,
    left_out: [
      { why: "age outside 18 to 50", people: 141 },
      { why: "no rating", people: 3 },
    ],
    values: 33,
    features: 1538,
    entries: 84210,
    secret: "age",
    secret_kind: "ordered",
    kept: ["income"],
    distance: "jensen-shannon",
  },
  release: {
    method: "fine",
    method_help: "the best exchange of rows between single people, with a proven gap",
    threat: "both",
    balanced: true,
    seeded: false,
    ids: "keep",
    earlier_draws: 0,
    files: [
      { name: "people.csv", rows: 802, bytes: 15230, sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" },
      { name: "events.csv", rows: 84210, bytes: 1832113, sha256: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752" },
    ],
  },
  context: { recipient: "Two <i>universities</i> with an agreement" },
  checks: [
    { what: "every group has 100 to 400 people", passed: true, detail: "smallest 121, largest 280" },
    { what: "every group has 4 to 12 distinct ages", passed: true, detail: "smallest 6, largest 10" },
    { what: "no exact age is in the files", passed: true },
    { what: "the fingerprints of the files are those of the manifest", passed: true, detail: "2 files" },
    { what: "donors come from the person's own group", passed: true },
  ],
  constraints: { people: [100, 400], values: [4, 12], groups: 4 },
  groups: groupsOver(AGES, RANGES),
  histogram: AGES,
  leakage: {
    total: 1.762,
    groups: 1.748,
    features: 0.0141,
    clusters: 0.0032,
    learned: 0.0021,
    null: 0.0163,
    null_deviation: 0.0031,
    unprotected: 3.05,
    secret_entropy: 4.81,
    fano_error_bound: 0.4059,
    epsilon: null,
    epsilon_why: "only the method dp has one",
  },
  lift: {
    highest: 2.61,
    lowest: 0,
    of_population: 18.4,
    own_largest: 2.61,
    own_largest_median: 1.8,
    own_expected: 1.31,
    own_expected_median: 1.05,
    own_of_population: 9.2,
    values: AGES.map(({ value, people }, i) => ({
      value,
      people,
      group: RANGES.map(([low, high]) => [low, high, `${low}-${high}`]).find(([low, high]) => low <= value && value <= high)[2],
      lowest: i === 5 ? 0 : 0.9 - (i % 5) / 10,
      highest: i === 5 ? 2.61 : 1.1 + (i % 7) / 8,
    })),
  },
  budget: 0.345,
  distance: 0.3449,
  gap_bits: 0.00001,
  joint_gap_bits: null,
  history: Array.from({ length: 12 }, (_, i) => ({
    round: i,
    objective: 0.014 + 0.4 * Math.exp(-i / 2),
    leakage: 1.762 + 0.4 * Math.exp(-i / 2),
    distance: 0.345 - 0.1 * Math.exp(-i),
    moves: 12 - i,
  })),
  channel: {
    what: "P(cluster of the published row | own cluster)",
    pools: [
      ["18-24", 198, 0.9],
      ["25-34", 280, 0.4],
      ["35-44", 203, 1.6],
      ["45-50", 121, 0.1],
    ].map(([label, people, stay]) => ({ label, people, ...channelOf(10, stay) })),
  },
  frontier: frontierOf(METHODS.slice(0, 6)),
  audit: {
    secret_unit: "years",
    error: "mean absolute error",
    interval: "95 % confidence over 10 repetitions",
    repetitions: 10,
    attacks: [
      {
        attacker: "random forest",
        scenario: "I",
        what: "trained on real features and ages of half the people, applied to the published rows of the others",
        published: interval(4.27, 0.05),
        unobscured: interval(4.0, 0.06),
        group_only: interval(4.28, 0.03),
        nothing: interval(7.1, 0.05),
        advantage: interval(0.01, 0.04),
      },
      {
        attacker: "random forest",
        scenario: "II",
        what: "trained on published rows with known ages, applied to the other published rows",
        published: interval(4.31, 0.05),
        unobscured: interval(4.02, 0.05),
        group_only: interval(4.28, 0.03),
        nothing: interval(7.1, 0.05),
        advantage: interval(-0.03, 0.04),
      },
      {
        attacker: "XGBoost",
        scenario: "I",
        what: "as above, boosted trees",
        published: interval(4.18, 0.03),
        unobscured: interval(4.05, 0.06),
        group_only: interval(4.28, 0.03),
        nothing: interval(7.1, 0.05),
        advantage: interval(0.1, 0.03),
      },
      {
        attacker: "XGBoost",
        scenario: "II",
        what: "as above, boosted trees",
        published: interval(4.4, 0.06),
        unobscured: interval(4.29, 0.05),
        group_only: interval(4.28, 0.03),
        nothing: interval(7.1, 0.05),
        advantage: interval(-0.12, 0.06),
      },
    ],
    informed: {
      error: 4.11,
      group_only: 4.28,
      repeated: [1, 2, 3, 5, 10].map((releases) => ({ releases, error: interval(4.11 * releases ** -0.25, 0.08) })),
    },
    utilities: [
      {
        name: "rating prediction",
        measure: "RMSE",
        better: "lower",
        published: interval(1.031, 0.004),
        unobscured: interval(1.024, 0.003),
        baseline: interval(1.12, 0.002),
      },
      {
        name: "recommendation",
        measure: "mean average precision",
        better: "higher",
        published: interval(0.231, 0.006),
        unobscured: interval(0.242, 0.005),
        baseline: interval(0.05, 0.002),
      },
    ],
    notes: ["Scenario II on 802 people leaves 722 to train on in every fold."],
  },
  tradeoff: tradeoffOf(METHODS.slice(0, 6)),
  tradeoff_axes: { attack: "random forest error (years)", utility: "rating RMSE", utility_better: "lower" },
  settings: [
    { key: "groups.count", value: 4, given: true },
    { key: "groups.people", value: "[100, 400]", given: true },
    { key: "channel.budget", value: 0.345, given: true },
    { key: "method.name", value: "fine", given: false },
    { key: "method.balanced", value: true, given: false },
    { key: "release.seed", value: null, given: false },
  ],
  limits: [
    "The protection covers the secret, not whether a person is in the data: ids that are kept say who is.",
    "The figures hold for one release. Several releases of the same people add up.",
    "What an attacker knows from elsewhere about one person is not counted.",
  ],
};

export const minimal = { format: 1, program: "hyobscure 0.5.0" };

/** One group and nothing that could be measured: single values, nulls with and without a reason. */
export const oneGroup = {
  format: 1,
  title: "One group",
  data: { people: 1, secret: "age", secret_kind: "ordered", values: 1, features: null, entries: null, kept: [], left_out: [] },
  release: { method: "random", seeded: true, earlier_draws: 2, files: [{ name: "people.csv", rows: null, bytes: null, sha256: null }] },
  checks: [
    { what: "every group has 100 people", passed: false, detail: "smallest 1" },
    { what: "files are whole", passed: true },
    { what: "donors", passed: null },
  ],
  constraints: { people: [100, null], values: null },
  groups: [{ label: "40", low: 40, high: 40, people: 1, values: 1 }],
  histogram: [{ value: 40, people: 1 }],
  leakage: {
    total: null,
    total_why: "one value only",
    groups: 0,
    features: 0,
    clusters: null,
    learned: null,
    null: 0,
    null_deviation: null,
    unprotected: 0,
    secret_entropy: 0,
    fano_error_bound: 0,
    epsilon: null,
  },
  budget: null,
  distance: 0,
  gap_bits: null,
  joint_gap_bits: null,
  history: [{ round: 0, objective: 0, leakage: 0, distance: null, moves: null }],
  channel: {
    pools: [
      { label: "40", people: 1, clusters: [0], matrix: [[1]] },
      { label: "empty", clusters: [], matrix: [] },
    ],
  },
  frontier: [
    { method: "random", points: [{ budget: 0.5, distance: null, leakage: 0, features: null, gap: null }] },
    { method: "dp", points: [] },
  ],
  audit: {
    secret_unit: "years",
    error: "mean absolute error",
    repetitions: null,
    attacks: [
      {
        attacker: "random forest",
        scenario: "I",
        published: { mean: null, low: null, high: null, why: "too few people for a split" },
        advantage: { mean: null, why: "too few people for a split" },
      },
    ],
    informed: { error: null, error_why: "one person", group_only: null, repeated: [{ releases: 1, error: { mean: null } }] },
    utilities: [{ name: "rating prediction", measure: "RMSE", published: { mean: null, why: "no rating" } }],
    notes: [],
  },
  tradeoff: [{ method: "random", points: [{ budget: 0.5, attack: { mean: null }, utility: { mean: 1 } }] }],
  tradeoff_axes: {},
  settings: [{ key: "groups.count", value: null, given: false }],
  limits: [],
};

const LONG = "a very long name without mercy ".repeat(6) + "x".repeat(140);
const HOSTILE = '</script><img src=x onerror="window.hacked=1"><script>window.hacked=1</script> <!-- & "\' \u2028 {b|x} ${1} %7B';

/** Many of everything, long names, hostile text. */
export function crowded() {
  const cells = histogram(0, 239);
  const bounds = Array.from({ length: 60 }, (_, i) => [4 * i, 4 * i + 3]);
  const methods = METHODS.map((name, i) => (i === 3 ? LONG : i === 4 ? HOSTILE : name));
  const facts = structuredClone(full);
  return {
    ...facts,
    title: `${HOSTILE} ${LONG}`,
    made: HOSTILE,
    data: { ...facts.data, people: 123456789, secret: HOSTILE, kept: [LONG, HOSTILE], left_out: [{ why: HOSTILE, people: 3 }] },
    release: {
      ...facts.release,
      method: HOSTILE,
      method_help: LONG,
      ids: HOSTILE,
      files: [{ name: LONG, rows: 1e9, bytes: 3.2e11, sha256: "f".repeat(64) }, { name: HOSTILE }],
    },
    checks: [
      { what: LONG, passed: true, detail: HOSTILE },
      { what: HOSTILE, passed: false, detail: LONG },
    ],
    groups: groupsOver(cells, bounds).map((group, i) => (i % 20 === 3 ? { ...group, label: i === 3 ? LONG : HOSTILE } : group)),
    histogram: cells,
    channel: {
      what: HOSTILE,
      pools: [
        { label: LONG, people: 60, ...channelOf(60, 0.2) },
        { label: HOSTILE, people: 4, ...channelOf(3, 1) },
      ],
    },
    frontier: frontierOf(methods),
    tradeoff: tradeoffOf(methods),
    tradeoff_axes: { attack: LONG, utility: HOSTILE },
    audit: {
      ...facts.audit,
      secret_unit: HOSTILE,
      error: LONG,
      interval: HOSTILE,
      attacks: [...facts.audit.attacks, ...facts.audit.attacks].map((attack, i) => ({
        ...attack,
        attacker: i === 5 ? LONG : i === 6 ? HOSTILE : attack.attacker,
        what: i === 6 ? HOSTILE : attack.what,
      })),
      utilities: [
        ...facts.audit.utilities,
        { name: LONG, measure: HOSTILE, better: HOSTILE, published: { mean: 1 } },
        { name: "constant", measure: "share", better: "higher", published: interval(0, 0), unobscured: interval(0, 0) },
      ],
      notes: [HOSTILE, LONG],
    },
    history: Array.from({ length: 300 }, (_, i) => ({ round: i, objective: 1e-7 * (300 - i), leakage: 5, distance: 1, moves: i })),
    settings: [
      { key: LONG, value: HOSTILE, given: true },
      { key: HOSTILE, value: LONG, given: false },
    ],
    limits: [HOSTILE, LONG],
  };
}

/** Facts with about every eighth key or number lost: absent, or null. The same for the same seed. */
export function torn(seed, facts = full) {
  let state = seed;
  const draw = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
  const tear = (value) => {
    if (Array.isArray(value)) return value.map((item) => (draw() < 0.03 ? null : tear(item)));
    if (value === null || typeof value !== "object") return draw() < 0.1 ? null : value;
    const kept = Object.entries(value).filter(() => draw() > 0.12);
    return Object.fromEntries(kept.map(([key, inner]) => [key, draw() < 0.04 ? null : tear(inner)]));
  };
  return tear(facts);
}

/** A categorical secret: groups without ends, values that are words. */
export const categorical = {
  format: 1,
  title: "Diagnoses",
  data: { people: 300, secret: "diagnosis", secret_kind: "categorical", values: 4 },
  groups: [
    { label: "respiratory", people: 180, values: 2 },
    { label: "other", people: 120, values: 2 },
  ],
  histogram: [
    { value: "asthma", people: 100, group: "respiratory" },
    { value: "fracture", people: 90, group: "other" },
    { value: "COPD", people: 80, group: "respiratory" },
    { value: "burn", people: 30, group: "other" },
  ],
  leakage: { total: 0.99, groups: 0.97, features: 0.02, secret_entropy: 1.9, fano_error_bound: -0.2 },
};

const SHARE_AUDIT = {
  error: "share of wrong guesses",
  error_kind: "share",
  interval: "95 % over 10 repetitions",
  repetitions: 10,
  attacks: [
    {
      attacker: "random forest",
      scenario: "I",
      what: "learned from true features and secrets of other people",
      published: interval(0.803, 0.012),
      unobscured: interval(0.742, 0.013),
      group_only: interval(0.801, 0.011),
      nothing: interval(0.942, 0.006),
      advantage: interval(-0.002, 0.008),
      unobscured_advantage: interval(0.059, 0.01),
    },
    {
      attacker: "boosted trees",
      scenario: "II",
      what: "learned from the release",
      published: interval(0.771, 0.012),
      unobscured: interval(0.75, 0.013),
      group_only: interval(0.801, 0.011),
      nothing: interval(0.942, 0.006),
      advantage: interval(0.03, 0.011),
      unobscured_advantage: interval(0.051, 0.01),
    },
  ],
  informed: {
    error: 0.71,
    group_only: 0.79,
    repeated: [1, 2, 5].map((releases) => ({ releases, error: interval(0.71 / releases, 0.02) })),
  },
};

/** A bay with two islands: cells where people live, in areas of about equal width. */
function bayCells(columns, rows, areas) {
  const cells = [];
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const [x, y] = [column / columns - 0.5, row / rows - 0.5];
      const land = Math.hypot(x, y * 0.8) < 0.44 + 0.05 * Math.sin(7 * Math.atan2(y, x)) && Math.hypot(x - 0.32, y + 0.1) > 0.16;
      if (land) cells.push({ row: row + 40, column: column - 3, people: 2 + Math.round(40 * Math.exp(-8 * (x * x + y * y))) });
    }
  }
  cells.push({ row: 42, column: columns - 2, people: 6 }, { row: 43, column: columns - 2, people: 4 });
  const wide = Math.ceil(Math.sqrt(areas));
  return cells.map((cell) => {
    const [i, j] = [Math.floor(((cell.column + 3) * wide) / columns), Math.floor(((cell.row - 40) * Math.ceil(areas / wide)) / rows)];
    return { ...cell, group: `area ${Math.min(areas, 1 + i + wide * j)}` };
  });
}

function areasOf(cells) {
  const labels = [...new Set(cells.map((cell) => cell.group))].sort((a, b) => Number(a.slice(5)) - Number(b.slice(5)));
  return labels.map((label) => {
    const own = cells.filter((cell) => cell.group === label);
    return { label, people: own.reduce((sum, cell) => sum + cell.people, 0), values: own.length };
  });
}

function placesOf(columns, rows, areas, more = {}) {
  const cells = bayCells(columns, rows, areas);
  return {
    format: 1,
    title: "Homes in a bay",
    data: { people: cells.reduce((sum, cell) => sum + cell.people, 0), secret: "home", secret_kind: "spatial", values: cells.length },
    groups: areasOf(cells),
    map: { cell_km: 1, on_earth: true, cells },
    leakage: { total: 2.4, groups: 2.3, features: 0.1, secret_entropy: 5.8, fano_error_bound: 0.4, null: 0.05, null_deviation: 0.01 },
    ...more,
  };
}

/** Places: an audit in wrong guesses, five guesses and km. */
export const places = placesOf(14, 11, 6, {
  audit: {
    ...SHARE_AUDIT,
    attacks: SHARE_AUDIT.attacks.map((attack, i) => ({
      ...attack,
      top5: {
        published: interval(0.41, 0.02),
        unobscured: interval(0.35, 0.02),
        group_only: interval(0.42, 0.02),
        nothing: interval(0.8, 0.02),
        advantage: interval(0.01, 0.02),
        unobscured_advantage: interval(0.07, 0.02),
      },
      km: {
        published: interval(2.31 - 0.2 * i, 0.08),
        unobscured: interval(1.9, 0.09),
        group_only: interval(2.28, 0.06),
        nothing: interval(5.2, 0.1),
        advantage: interval(-0.03 + 0.2 * i, 0.06),
        unobscured_advantage: interval(0.38, 0.07),
      },
    })),
    informed: {
      ...SHARE_AUDIT.informed,
      km: { error: 1.71, group_only: 2.25, repeated: [1, 2, 5].map((releases) => ({ releases, error: interval(1.71 / releases, 0.1) })) },
    },
  },
});

/** A city of many cells and areas, known by cells alone. */
export const city = placesOf(60, 48, 30, { title: "A city of cells" });
city.map = { ...city.map, on_earth: false, cell_km: 0.5 };

/** Hundreds of names: too many to draw one by one. */
export const manyNames = {
  format: 1,
  title: "Occupations",
  data: { people: 4000, secret: "occupation", secret_kind: "categorical", values: 400 },
  groups: Array.from({ length: 12 }, (_, g) => ({ label: `group ${g + 1} of occupations with a long name`, people: 330, values: 33 })),
  histogram: Array.from({ length: 400 }, (_, i) => ({
    value: `occupation ${i}`,
    people: 1 + ((i * 7) % 19),
    group: `group ${1 + (i % 12)} of occupations with a long name`,
  })),
};

/** Names enough for a long list, in groups; with text that is none of ours. */
export const names = {
  format: 1,
  title: "Diagnoses",
  data: { people: 900, secret: "diagnosis", secret_kind: "categorical", values: 26 },
  groups: ["breathing", "bones", HOSTILE, "skin"].map((label) => ({ label, people: 200, values: 6 })),
  histogram: Array.from({ length: 26 }, (_, i) => ({
    value: i === 7 ? LONG : i === 9 ? HOSTILE : `diagnosis ${String.fromCharCode(65 + i)}`,
    people: 5 + ((i * 11) % 60),
    group: ["breathing", "bones", HOSTILE, "skin"][i % 4],
  })),
  audit: SHARE_AUDIT,
};

/** Two secrets at once: age by gender. */
function pairs(genders) {
  const ages = Array.from({ length: 33 }, (_, i) => 18 + i);
  const groupOf = (x, y) => (y === 2 ? "all ages, other" : `${x < 9 ? "18-26" : x < 20 ? "27-37" : "38-50"}, ${genders[y]}`);
  const points = genders
    .flatMap((_, y) => ages.map((_, x) => ({ x, y, group: groupOf(x, y), people: y === 2 ? 1 : 2 + ((x * 5 + y) % 14) })))
    .filter((point) => (point.x + 3 * point.y) % 11 !== 5);
  const labels = [...new Set(points.map((point) => point.group))];
  return {
    data: {
      people: points.reduce((sum, point) => sum + point.people, 0),
      secret: "age, gender",
      secret_kind: "ordered, categorical",
      axes: ["age", "gender"],
      values: points.length,
    },
    groups: labels.map((label) => {
      const own = points.filter((point) => point.group === label);
      return {
        label,
        people: own.reduce((sum, point) => sum + point.people, 0),
        values: own.length,
        covers: label.split(", ").map((part) => ({ label: part })),
      };
    }),
    plane: { x: { name: "age", values: ages }, y: { name: "gender", values: genders }, points },
  };
}
export const twoSecrets = {
  format: 1,
  title: "Ages and genders",
  ...pairs(["female", "male", "other"]),
  audit: SHARE_AUDIT,
  leakage: { total: 2.4, groups: 2.3, features: 0.1, secret_entropy: 5.8, fano_error_bound: 0.4 },
};
