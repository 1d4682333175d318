import type { CatalogueName, Check, ReferenceRow } from "../common.ts";

type Body = Readonly<Record<string, unknown>>;

/** Places are in the estimate, except for those that say where. */
function decluster(
  row: number,
  what: string,
  [catalogue, query]: readonly [CatalogueName, Readonly<Record<string, string | number>>?],
  ...checks: readonly (readonly [Body, Check["expect"]])[]
): ReferenceRow {
  return {
    row,
    what,
    checks: checks.map(([body, expected]) => ({
      ask: { path: "decluster", catalogue, body, ...(query && { query }) },
      expect: Object.fromEntries(
        Object.entries(expected).map(([place, value]) => [
          place.includes(".") ? place : `estimate.${place}`,
          value,
        ]),
      ),
    })),
  };
}

const windows = (window: string, foreshockFraction: number) => ({
  method: "gardner-knopoff",
  window,
  foreshockFraction,
});
/** As Reasenberg's own program has them. */
const FORTRAN = {
  method: "reasenberg",
  tau0: 2,
  tauMin: 2,
  tauMax: 10,
  p: 0.99,
  xk: 0.5,
  rfact: 10,
};
const NEAREST = { method: "nearest-neighbour", df: 1.6, b: 1 };
const G25 = ["G", { minMagnitude: 2.5 }] as const;

/** Clusters, as SeismoStats, Reasenberg's, Zaliapin's and other programs find them. */
export const DECLUSTERING_ROWS: readonly ReferenceRow[] = [
  decluster(
    24,
    "S2 Gardner & Knopoff, no foreshocks",
    ["S2"],
    [
      windows("gk-fit", 0),
      { "input.events": "7878", main: "1848", clusters: "193", largest: "822" },
    ],
  ),
  decluster(
    25,
    "S2 Gardner & Knopoff",
    ["S2"],
    [
      windows("gk-fit", 1),
      { main: "1591", clusters: "215", foreshocks: "565", aftershocks: "5722", largest: "840" },
    ],
  ),
  decluster(
    26,
    "S2 Uhrhammer",
    ["S2"],
    [windows("uhrhammer", 1), { main: "2294", clusters: "92" }],
  ),
  decluster(
    27,
    "S2 linked windows",
    ["S2"],
    [
      { method: "gardner-knopoff", window: "gk-table", linked: true },
      { main: "1716", aftershocks: "6103", foreshocks: "41", both: "18" },
    ],
  ),
  decluster(
    28,
    "G25 Gardner & Knopoff",
    G25,
    [
      windows("gk-fit", 1),
      { "input.events": "1509", main: "414", clusters: "181", foreshocks: "471" },
    ],
    [windows("gk-fit", 0), { main: "620", clusters: "215" }],
  ),
  decluster(
    29,
    "R Gardner & Knopoff",
    ["R"],
    [windows("gk-fit", 1), { main: "5", foreshocks: "15", largest: "768" }],
  ),
  decluster(
    30,
    "S2 Reasenberg, his own parameters",
    ["S2"],
    [
      { ...FORTRAN, xmeff: 3, floor: false },
      { clusters: "195", clustered: "4051", independent: "4022", largest: "451" },
    ],
  ),
  decluster(
    31,
    "S2 Reasenberg",
    ["S2"],
    [
      { method: "reasenberg", xmeff: 3 },
      { clusters: "181", clustered: "3864", independent: "4195", largest: "421" },
    ],
  ),
  decluster(
    32,
    "G01 Reasenberg, his own parameters",
    ["G", { minMagnitude: 2, startTime: "2001-01-01" }],
    [
      { ...FORTRAN, xmeff: 2, floor: false },
      {
        "input.events": "2851",
        clusters: "212",
        clustered: "1265",
        independent: "1798",
        largest: "194",
      },
    ],
  ),
  decluster(
    33,
    "S2 nearest neighbours",
    ["S2"],
    [NEAREST, { logEtaMedian: "-6.40727", logEtaMean: "-6.19033" }],
  ),
  decluster(
    34,
    "S2 nearest neighbours, mixture",
    ["S2"],
    [
      NEAREST,
      {
        weight: "0.7914",
        "means[0]": "-6.9701",
        "means[1]": "-3.2321",
        "sigmas[0]": "1.7387",
        "sigmas[1]": "0.4826",
        threshold: "-4.03258",
        ashmanD: "2.930",
        background: "1815",
        families: "110",
      },
    ],
  ),
  decluster(
    35,
    "S2 nearest neighbours, threshold −5",
    ["S2"],
    [
      { ...NEAREST, threshold: -5 },
      { background: "2544", families: "103", largest: "859" },
    ],
  ),
  decluster(
    36,
    "R nearest neighbours",
    ["R"],
    [
      NEAREST,
      {
        "input.events": "829",
        logEtaMedian: "-7.30947",
        ashmanD: "1.164",
        "warnings[code=NOT_BIMODAL].code": "NOT_BIMODAL",
      },
    ],
  ),
];
