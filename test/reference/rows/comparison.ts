import type { ReferenceRow } from "../common.ts";

const S4 = { compare: ["S4x", "S4y"], timeThreshold: 1, distanceThreshold: 1 } as const;

/** Comparisons of two catalogues, as SciPy has them. */
export const COMPARISON_ROWS: readonly ReferenceRow[] = [
  {
    row: 48,
    what: "S4 regressions",
    checks: [
      {
        ask: S4,
        expect: {
          "estimate.matched": "300",
          "estimate.ols.slope": "0.684900",
          "estimate.ols.intercept": "2.051142",
          "estimate.gor.slope": "0.694218",
          "estimate.gor.intercept": "2.011760",
          "estimate.theilSen.slope": "0.675497",
          "estimate.theilSen.intercept": "2.062318",
          "estimate.theilSen.slopeLow": "0.658537",
          "estimate.theilSen.slopeHigh": "0.692308",
        },
      },
      {
        ask: { ...S4, eta: 0.25 },
        expect: { "estimate.gor.slope": "0.703942", "estimate.gor.intercept": "1.970663" },
      },
    ],
  },
  {
    row: 49,
    what: "ComCat − ISC, 16 s, 100 km",
    checks: [
      {
        ask: { compare: ["isc", "comcat"], timeThreshold: 16, distanceThreshold: 100 },
        expect: {
          "estimate.matched": "5",
          "estimate.residuals.time.median": "0.22",
          "estimate.residuals.time.sigma": "1.11195",
          "estimate.residuals.distance.median": "15.1573",
          "estimate.residuals.distance.sigma": "7.43723",
          "estimate.residuals.depth.median": "0",
          "estimate.residuals.depth.sigma": "4.00302",
          "estimate.residuals.magnitude.median": "-0.06",
          "estimate.residuals.magnitude.sigma": "0.10378",
        },
      },
    ],
  },
];
