import type { CatalogueName } from "../reference-catalogues.ts";
import type { Check, ReferenceRow } from "../reference-row.ts";

type Query = Readonly<Record<string, string | number>>;

const ask =
  (path: string) =>
  (catalogue: CatalogueName, query: Query, expect: Check["expect"]): Check => ({
    ask: { path, catalogue, query },
    expect,
  });
const frequency = ask("magnitude-frequency");
const completeness = ask("completeness");
const bValue = ask("b-value");

/** The last moment that a period takes in: its end is inclusive. */
const END_OF_2009 = "2009-12-31T23:59:59.999999Z";
const END_OF_2021 = "2021-12-31T23:59:59.999999Z";

/** Magnitude–frequency distributions, completeness and b-values, as SeismoStats, ZMAP and others have them. */
export const MAGNITUDE_ROWS: readonly ReferenceRow[] = [
  {
    row: 1,
    what: "G magnitude–frequency distribution",
    checks: [
      frequency(
        "G",
        {},
        {
          "estimate.n": "17397",
          "bins.length": "55",
          "bins[0].magnitude": "-0.1",
          "bins[54].magnitude": "5.3",
          "bins[magnitude=1.7].count": "1375",
          "bins[magnitude=2].cumulative": "4966",
          "bins[magnitude=3].cumulative": "556",
        },
      ),
    ],
  },
  {
    row: 2,
    what: "G maximum curvature",
    checks: [
      completeness("G", { method: "maxc", correction: 0 }, { "estimate.mc": "1.7" }),
      completeness("G", { method: "maxc" }, { "estimate.mc": "1.9" }),
    ],
  },
  {
    row: 3,
    what: "G goodness of fit",
    checks: [
      completeness(
        "G",
        { method: "gft", estimator: "utsu" },
        {
          "estimate.mc90": "1.5",
          "estimate.r90": "90.985",
          "estimate.mc95": "1.7",
          "estimate.r95": "96.675",
          "estimate.mc": "1.7",
        },
      ),
      completeness(
        "G",
        { method: "gft" },
        {
          "estimate.mc90": "1.5",
          "estimate.r90": "91.069",
          "estimate.mc95": "1.7",
          "estimate.r95": "96.795",
        },
      ),
    ],
  },
  {
    row: 4,
    what: "G stability of b",
    checks: [completeness("G", { method: "mbs" }, { "estimate.mc": "1.9" })],
  },
  {
    row: 5,
    what: "G entire magnitude range",
    checks: [
      completeness(
        "G",
        { method: "emr" },
        {
          "estimate.mc": "1.8",
          "estimate.b": "0.92619",
          "estimate.mu": "1.0264",
          "estimate.sigma": "0.29902",
        },
      ),
    ],
  },
  {
    row: 6,
    what: "G b-value, Tinti & Mulargia",
    checks: [
      bValue(
        "G",
        { mc: 1.9 },
        {
          "estimate.n": "6141",
          "estimate.b": "0.938690",
          "estimate.sigma": "0.011678",
          "estimate.sigmaAki": "0.011978",
        },
      ),
    ],
  },
  {
    row: 7,
    what: "G b-value, Utsu",
    checks: [
      bValue(
        "G",
        { mc: 1.9, estimator: "utsu" },
        {
          "estimate.n": "6141",
          "estimate.b": "0.935052",
          "estimate.sigma": "0.011588",
        },
      ),
    ],
  },
  {
    row: 8,
    what: "G annual rate",
    checks: [
      bValue(
        "G",
        { mc: 1.9, startTime: "1980-01-01", endTime: "2022-06-10" },
        {
          "input.years": "42.43943",
          "estimate.aAnnual": "3.943980",
          "bins[magnitude=4].annualRate": "1.54604",
        },
      ),
    ],
  },
  {
    row: 9,
    what: "G b-value, Weichert",
    checks: [
      bValue(
        "G",
        {
          estimator: "weichert",
          complete: "2.0:2012,2.5:2000,3.0:1990",
          mmax: 6,
          endTime: END_OF_2021,
        },
        {
          "estimate.n": "1989",
          "estimate.b": "1.12684",
          "estimate.sigma": "0.02032",
          "estimate.rate": "141.8135",
        },
      ),
    ],
  },
  {
    row: 10,
    what: "G 2005–2009 b-value",
    checks: [
      bValue(
        "G",
        { mcMethod: "maxc", startTime: "2005-01-01", endTime: END_OF_2009 },
        {
          "input.events": "3967",
          "estimate.mc": "1.8",
          "estimate.n": "1736",
          "estimate.b": "1.277312",
          "estimate.sigma": "0.031203",
        },
      ),
    ],
  },
  {
    row: 11,
    what: "K completeness",
    checks: [
      completeness("K", { method: "maxc", correction: 0 }, { "estimate.mc": "2.0" }),
      completeness("K", { method: "maxc" }, { "estimate.mc": "2.2" }),
      completeness(
        "K",
        { method: "gft", estimator: "utsu" },
        {
          "estimate.mc90": "1.8",
          "estimate.r90": "91.754",
          "estimate.mc95": "2.0",
          "estimate.r95": "97.128",
          "estimate.mc": "2.0",
        },
      ),
      completeness("K", { method: "mbs" }, { "estimate.mc": "2.0" }),
    ],
  },
  {
    row: 12,
    what: "K b-value, Tinti & Mulargia",
    checks: [
      bValue(
        "K",
        { mc: 2 },
        {
          "estimate.n": "652",
          "estimate.b": "0.955960",
          "estimate.sigma": "0.036340",
        },
      ),
    ],
  },
  {
    row: 13,
    what: "K b-value, Aki",
    checks: [
      bValue(
        "K",
        { mc: 2, estimator: "aki", binWidth: 0 },
        {
          "estimate.n": "588",
          "estimate.b": "0.961911",
          "estimate.sigma": "0.038645",
          "estimate.bUnbiased": "0.960275",
        },
      ),
    ],
  },
  {
    row: 14,
    what: "K Lilliefors",
    checks: [
      completeness(
        "K",
        { method: "lilliefors", binWidth: 0 },
        {
          "estimate.mc": "2.0",
          "estimate.n": "588",
          "estimate.d": "0.033837",
          "estimate.dStar": "0.82166",
          "series[magnitude=1.9].dStar": "1.20688",
        },
      ),
    ],
  },
  {
    row: 15,
    what: "K Kolmogorov & Smirnov",
    checks: [
      completeness(
        "K",
        { method: "ks" },
        { "estimate.mc": "2.0", "estimate.n": "652", "estimate.d": "0.024643" },
      ),
    ],
  },
  {
    row: 16,
    what: "K b-positive",
    checks: [
      bValue(
        "K",
        { mc: 1.5, estimator: "b-positive" },
        {
          "estimate.n": "476",
          "estimate.b": "1.187272",
          "estimate.sigma": "0.056116",
        },
      ),
    ],
  },
  {
    row: 17,
    what: "R maximum curvature, b-value",
    checks: [
      completeness("R", { method: "maxc" }, { "estimate.mc": "2.9" }),
      bValue("R", { mc: 2.9 }, { "estimate.n": "523", "estimate.b": "0.747157" }),
    ],
  },
  {
    row: 18,
    what: "R goodness of fit, stability of b",
    checks: [
      completeness(
        "R",
        { method: "gft", estimator: "utsu" },
        {
          "estimate.mc": "3.1",
          "estimate.mc90": "3.1",
          "estimate.r90": "90.898",
          "estimate.mc95": "null",
        },
      ),
      completeness(
        "R",
        { method: "mbs" },
        {
          "estimate.mc": "3.4",
          "series[magnitude=3.4].b": "1.046049",
        },
      ),
    ],
  },
  {
    row: 19,
    what: "R b-positive",
    checks: [
      bValue(
        "R",
        { mc: 2.5, estimator: "b-positive", dc: 0.1 },
        {
          "estimate.n": "354",
          "estimate.b": "1.056029",
        },
      ),
      bValue(
        "R",
        { mc: 2.5, estimator: "b-positive", dc: 0.2 },
        {
          "estimate.n": "279",
          "estimate.b": "1.062115",
        },
      ),
    ],
  },
  {
    row: 20,
    what: "R b-value in bins of 0.01",
    checks: [
      bValue(
        "R",
        { mc: 2.9, binWidth: 0.01 },
        {
          "estimate.n": "490",
          "estimate.b": "0.765035",
          "estimate.sigma": "0.026652",
        },
      ),
    ],
  },
  {
    row: 21,
    what: "S1 completeness",
    checks: [
      completeness(
        "S1",
        { method: "maxc", correction: 0 },
        {
          "input.events": "13778",
          "estimate.mc": "1.4",
        },
      ),
      completeness("S1", { method: "maxc" }, { "estimate.mc": "1.6" }),
      completeness("S1", { method: "gft" }, { "estimate.mc90": "1.2", "estimate.mc95": "1.3" }),
      completeness("S1", { method: "mbs" }, { "estimate.mc": "1.5" }),
    ],
  },
  {
    row: 22,
    what: "S1 b-value",
    checks: [
      bValue(
        "S1",
        { mc: 1.6 },
        {
          "estimate.n": "5530",
          "estimate.b": "0.996520",
          "estimate.sigma": "0.013274",
        },
      ),
      bValue("S1", { mc: 1.6, estimator: "utsu" }, { "estimate.b": "0.992171" }),
    ],
  },
  {
    row: 23,
    what: "S1 entire magnitude range",
    checks: [
      completeness(
        "S1",
        { method: "emr" },
        {
          "estimate.mc": "1.4",
          "estimate.b": "0.98153",
          "estimate.mu": "1.0573",
          "estimate.sigma": "0.19453",
        },
      ),
    ],
  },
];
