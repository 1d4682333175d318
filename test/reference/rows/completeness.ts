import { askAnalysis, type ReferenceRow } from "../common.ts";

const frequency = askAnalysis("magnitude-frequency");
const completeness = askAnalysis("completeness");

/** Magnitude–frequency distributions and completeness, as SeismoStats, ZMAP and others have them. */
export const COMPLETENESS_ROWS: readonly ReferenceRow[] = [
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
