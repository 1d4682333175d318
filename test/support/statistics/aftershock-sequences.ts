import type { EventTable } from "#services/domain/statistics/event-table.ts";
import { omoriDelay, parkMiller } from "./park-miller.ts";

const START_MS = Date.UTC(2010, 0, 1);
const DAY_MS = 86_400_000;
const DAYS = 3652.5;
const KM_PER_DEGREE = 111.195;
const MAIN_EVENTS = 2000;

export type SyntheticEvent = {
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
