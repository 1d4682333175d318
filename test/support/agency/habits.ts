import type { ServedFormat, Strictness } from "./fdsn-query.ts";

const STANDARD = ["includeallorigins", "includeallmagnitudes", "includearrivals"];

/** The ways of an event service, as far as clients meet them. */
export type Habits = {
  /** More events than this are refused. */
  readonly cap: number;
  /** How: 413 as most agencies, 400 as USGS, or the first `cap` events as if they were all. */
  readonly overCap: "413" | "400" | "silent";
  /** Exclusive bounds. */
  readonly strict: Strictness;
  readonly formats: readonly ServedFormat[];
  /** Parameters beyond GeoNet's by which more of each event is given. */
  readonly includes: readonly string[];
  /** Parameters that are answered 501. */
  readonly unimplemented: readonly string[];
  /** Parameters in its description; undefined: it has none. */
  readonly described: readonly string[] | undefined;
  /** Understands `updatedafter`; others answer 400. */
  readonly updatedAfter: boolean;
  /** Takes west > east for a box across the antimeridian; others answer 400. */
  readonly wraps: boolean;
  /** Counts longitudes from 0 to 360, so that −10 to 10 is empty. */
  readonly shifted: boolean;
  /** Text rounded as GeoNet's. */
  readonly rounded: boolean;
  /** Text has the column of types, which is version 1.2's. */
  readonly typed: boolean;
  /** Errors have the blank lines of the standard. */
  readonly spacedErrors: boolean;
};

/** That of the standard, as INGV and others have it. */
const FDSN: Habits = {
  cap: 10_000,
  overCap: "413",
  strict: { values: false, times: false },
  formats: ["xml", "text"],
  includes: STANDARD,
  unimplemented: [],
  described: [...STANDARD, "updatedafter", "limit", "orderby"],
  updatedAfter: true,
  wraps: false,
  shifted: false,
  rounded: false,
  typed: false,
  spacedErrors: true,
};

/** GeoNet's, with exact text. */
export const GEONET: Habits = {
  ...FDSN,
  strict: { values: true, times: false },
  includes: [],
  described: undefined,
  wraps: true,
  shifted: true,
  typed: true,
  spacedErrors: false,
};

export const HABITS = {
  fdsn: FDSN,
  geonet: { ...GEONET, rounded: true },
  comcat: {
    ...FDSN,
    cap: 20_000,
    overCap: "400",
    formats: ["xml", "text", "geojson"],
    includes: ["includeallorigins", "includeallmagnitudes"],
    unimplemented: ["includearrivals"],
    described: undefined,
  },
  emsc: { ...FDSN, cap: 1_000, overCap: "silent", described: undefined },
  seiscomp: { ...FDSN, updatedAfter: false, wraps: true, typed: true, described: STANDARD },
  isc: { ...FDSN, formats: ["xml", "isf"], updatedAfter: false, described: undefined },
} as const satisfies Record<string, Habits>;

export type ServedDialect = keyof typeof HABITS;
