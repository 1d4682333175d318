import { askAnalysis, type ReferenceRow, S3_START } from "../common.ts";

/** K by UTC day from 2023-03-17. */
const DAYS = [249, 387, 149, 108, 62, 41, 18, 9, 11, 17];

const omori = askAnalysis("omori");

/** Rates, moment, aftershocks, depths, density and quality. */
export const RATE_ROWS: readonly ReferenceRow[] = [
  {
    row: 37,
    what: "K by UTC day",
    checks: [
      {
        ask: { path: "rates", catalogue: "K", query: { bin: "day" } },
        expect: {
          "estimate.n": "1051",
          "bins.length": "10",
          "bins[0].start": "2023-03-17T00:00:00Z",
          ...Object.fromEntries(DAYS.map((count, i) => [`bins[${i}].count`, String(count)])),
        },
      },
    ],
  },
  {
    row: 38,
    what: "G m ≥ 2.0 by month",
    checks: [
      {
        ask: { path: "rates", catalogue: "G", query: { bin: "month", minMagnitude: 2 } },
        expect: {
          "estimate.n": "4453",
          "estimate.bins": "509",
          "estimate.filled": "439",
          "estimate.max": "216",
          "estimate.maxStart": "2009-06-01T00:00:00Z",
        },
      },
    ],
  },
  {
    row: 39,
    what: "G moment, all types",
    checks: [
      {
        ask: { path: "moment", catalogue: "G", query: { types: "all" } },
        expect: {
          "estimate.n": "17397",
          "estimate.total": "5.39804e17",
          "estimate.mw": "5.75482",
          "estimate.largestShare": "0.230549",
        },
      },
    ],
  },
  {
    row: 40,
    what: "K m ≥ 2.0 times between events",
    checks: [
      {
        ask: { path: "inter-event", catalogue: "K", query: { minMagnitude: 2 } },
        expect: {
          "estimate.n": "587",
          "estimate.mean": "1320.819",
          "estimate.median": "220.678",
          "estimate.cv": "3.60961",
        },
      },
    ],
  },
  {
    row: 41,
    what: "S3 Omori and Utsu's law",
    checks: [
      omori(
        "S3",
        { mainshock: S3_START, start: 0, end: 100 },
        {
          "estimate.n": "500",
          "estimate.K": "66.212",
          "estimate.sigmaK": "4.632",
          "estimate.c": "0.039741",
          "estimate.sigmaC": "0.01088",
          "estimate.p": "1.07156",
          "estimate.sigmaP": "0.03103",
          "estimate.lnL": "1421.598",
        },
      ),
    ],
  },
  {
    row: 42,
    what: "R m ≥ 3.0 Omori and Utsu's law",
    checks: [
      omori(
        "R",
        { mainshock: "2019-07-06T03:19:53.040Z", start: 0.05, end: 6.9, minMagnitude: 3 },
        {
          "estimate.n": "410",
          "estimate.K": "93.741",
          "estimate.sigmaK": "8.445",
          "estimate.c": "0.03361",
          "estimate.sigmaC": "0.03690",
          "estimate.p": "0.95774",
          "estimate.sigmaP": "0.08143",
        },
      ),
    ],
  },
  {
    row: 43,
    what: "K m ≥ 2.0 Omori and Utsu's law",
    checks: [
      omori(
        "K",
        { mainshock: "2023-03-17T15:46:01.655Z", start: 0.01, end: 9, minMagnitude: 2 },
        {
          "estimate.n": "561",
          "estimate.K": "531.6",
          "estimate.sigmaK": "238.0",
          "estimate.c": "0.8163",
          "estimate.sigmaC": "0.2245",
          "estimate.p": "2.0867",
          "estimate.sigmaP": "0.2453",
        },
      ),
    ],
  },
  {
    row: 44,
    what: "G depths in bins of 5 km",
    checks: [
      {
        ask: { path: "depths", catalogue: "G" },
        expect: Object.fromEntries(
          [1662, 14082, 1508, 92, 33, 20].map((count, i) => [`bins[${i}].count`, String(count)]),
        ),
      },
    ],
  },
  {
    row: 45,
    what: "G cells of 0.1°",
    checks: [
      {
        ask: { path: "density", catalogue: "G" },
        expect: {
          "estimate.cells": "42",
          "estimate.max": "3486",
          "estimate.maxAt.latitude": "-39.0",
          "estimate.maxAt.longitude": "175.7",
        },
      },
    ],
  },
  {
    row: 46,
    what: "G azimuthal gaps",
    checks: [
      {
        ask: { path: "quality", catalogue: "G" },
        expect: {
          "estimate.gap.p05": "51",
          "estimate.gap.p25": "90",
          "estimate.gap.p50": "128",
          "estimate.gap.p75": "174",
          "estimate.gap.p95": "271",
          "estimate.gap.above180": "3891",
        },
      },
    ],
  },
  {
    row: 47,
    what: "G quality Q",
    checks: [
      {
        ask: { path: "quality", catalogue: "G" },
        expect: {
          "estimate.q.mean": "48.416",
          "estimate.q.grades.C": "10897",
          "estimate.q.grades.D": "5858",
          "estimate.q.grades.F": "642",
        },
      },
    ],
  },
];
