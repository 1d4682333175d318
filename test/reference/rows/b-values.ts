import { askAnalysis, type ReferenceRow } from "../common.ts";

const completeness = askAnalysis("completeness");
const bValue = askAnalysis("b-value");

/** The last moment that a period takes in: its end is inclusive. */
const END_OF_2009 = "2009-12-31T23:59:59.999999Z";
const END_OF_2021 = "2021-12-31T23:59:59.999999Z";

/** b-values, as SeismoStats and others have them. */
export const B_VALUE_ROWS: readonly ReferenceRow[] = [
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
];
