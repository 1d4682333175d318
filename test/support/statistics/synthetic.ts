import type { EventTable } from "#services/domain/analytics/declustering/event-table.ts";
import { readCsepSample, readQuakesearch } from "./real-catalogues.ts";

const MODULUS = 2_147_483_647;
const MULTIPLIER = 48_271;

/**
 * The generator of the synthetic catalogues of reference (Park & Miller 1988, with the multiplier of
 * Park, Miller & Stockmeyer 1993): x ← 48271 x mod (2³¹ − 1); draws are x / (2³¹ − 1).
 */
export function parkMiller(seed: number): () => number {
  let x = seed;
  return () => {
    x = (MULTIPLIER * x) % MODULUS;
    return x / MODULUS;
  };
}

/**
 * Days after a main event from a draw in [0, 1): the inverse of the distribution of Omori and Utsu's
 * law with c (days) and p ≠ 1 within `duration` days.
 */
export function omoriDelay(draw: number, c: number, p: number, duration: number): number {
  const first = c ** (1 - p);
  return (first + draw * ((duration + c) ** (1 - p) - first)) ** (1 / (1 - p)) - c;
}

/**
 * S1: magnitudes of b = 1, of which a network detects fewer and fewer below 1.2: 13,778 of 200,000.
 */
export function syntheticS1(): number[] {
  const draw = parkMiller(20_261_122);
  const magnitudes: number[] = [];
  for (let i = 0; i < 200_000; i++) {
    const magnitude = -Math.log10(draw());
    if (draw() < 1 / (1 + Math.exp(-(magnitude - 1.2) / 0.1))) magnitudes.push(magnitude);
  }
  return magnitudes;
}

/** S3: 500 aftershocks within 100 days by Omori and Utsu's law, c = 0.05 days and p = 1.1; days, unsorted. */
export function syntheticS3(): number[] {
  const draw = parkMiller(777);
  return Array.from({ length: 500 }, () => omoriDelay(draw(), 0.05, 1.1, 100));
}

/** S4: 300 pairs of magnitudes of the same earthquakes, in two scales with errors of 0.2 and 0.1. */
export function syntheticS4(): { readonly x: Float64Array; readonly y: Float64Array } {
  const draw = parkMiller(4242);
  const x = new Float64Array(300);
  const y = new Float64Array(300);
  for (let i = 0; i < x.length; i++) {
    const magnitude = 4 + 3 * draw() ** 2;
    x[i] = hundredths((magnitude - 2) / 0.7 + 0.2 * normal(draw(), draw()));
    y[i] = hundredths(magnitude + 0.1 * normal(draw(), draw()));
  }
  return { x, y };
}

function normal(first: number, second: number): number {
  return Math.sqrt(-2 * Math.log(first)) * Math.cos(2 * Math.PI * second);
}

function hundredths(value: number): number {
  return Math.floor(100 * value + 0.5) / 100;
}

const START_MS = Date.UTC(2010, 0, 1);
const DAY_MS = 86_400_000;
const DAYS = 3652.5;
const KM_PER_DEGREE = 111.195;
const MAIN_EVENTS = 2000;

type SyntheticEvent = {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly depth: number;
  readonly magnitude: number;
};

const rounded = (magnitude: number) => Math.floor(10 * magnitude + 0.5) / 10;

/** 2,000 events of ten years with the aftershocks of those from magnitude 4.5 on: 7,878 in order of time. */
export function aftershockSequences(mainEvents = MAIN_EVENTS, seed = 12_345): SyntheticEvent[] {
  const draw = parkMiller(seed);
  const events: SyntheticEvent[] = [];
  const add = (days: number, latitude: number, longitude: number, magnitude: number) =>
    events.push({
      time: Math.floor(START_MS + days * DAY_MS + 0.5),
      latitude,
      longitude,
      depth: 10,
      magnitude,
    });
  for (let i = 0; i < mainEvents; i += 1) {
    const days = DAYS * draw();
    const longitude = 170 + 6 * draw();
    const latitude = -44 + 6 * draw();
    const magnitude = rounded(Math.min(7.5, 3 - Math.log10(draw())));
    add(days, latitude, longitude, magnitude);
    const aftershocks = magnitude < 4.5 ? 0 : Math.floor(10 ** (0.9 * (magnitude - 3.5)));
    for (let j = 0; j < aftershocks; j += 1) {
      const [a, b, d, e] = [draw(), draw(), draw(), draw()];
      const later = days + omoriDelay(a, 0.01, 1.1, 365);
      if (later >= DAYS) continue;
      const km = b * 10 ** (0.5 * magnitude - 1.5);
      const azimuth = 2 * Math.PI * d;
      add(
        later,
        latitude + (km * Math.cos(azimuth)) / KM_PER_DEGREE,
        longitude +
          (km * Math.sin(azimuth)) / (KM_PER_DEGREE * Math.cos((latitude * Math.PI) / 180)),
        rounded(Math.min(magnitude - 0.1, 3 - Math.log10(e))),
      );
    }
  }
  return events.toSorted((a, b) => a.time - b.time);
}

export function tableOf(events: readonly SyntheticEvent[]): EventTable {
  return {
    length: events.length,
    times: Float64Array.from(events, ({ time }) => time),
    latitudes: Float64Array.from(events, ({ latitude }) => latitude),
    longitudes: Float64Array.from(events, ({ longitude }) => longitude),
    depths: Float64Array.from(events, ({ depth }) => depth),
    magnitudes: Float64Array.from(events, ({ magnitude }) => magnitude),
  };
}

/** Magnitudes of the catalogues of reference, as they are. */
export const magnitudesOf = {
  G: () => readQuakesearch("G").map(({ magnitude }) => magnitude),
  K: () => readQuakesearch("K").map(({ magnitude }) => magnitude),
  R: () => readCsepSample().map(({ M }) => M),
  S1: syntheticS1,
} as const;

/** The same in order of time, then of id or line. */
export function magnitudesInTime(name: "K" | "R"): number[] {
  const events =
    name === "K"
      ? readQuakesearch("K").map((row) => [row.origintime, row.publicid, row.magnitude] as const)
      : readCsepSample().map(
          (row, i) => [row.time_string, String(i).padStart(4, "0"), row.M] as const,
        );
  const inTime = events.toSorted((a, b) => (a[0] + a[1] < b[0] + b[1] ? -1 : 1));
  return inTime.map(([, , magnitude]) => magnitude);
}
