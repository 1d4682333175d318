import { microsToTime } from "#contracts/seismic-event/origin-time.ts";

/** A small linear congruential generator: the same events in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const REGIONS = ["15 km west of Te Anau", "Cook Strait", "10 km north-east of Seddon", "Kermadec"];

/** Submitted events as an agency's catalogue has them: an origin, a magnitude and four qualities. */
export function sampleEvents(count: number): Record<string, unknown>[] {
  const random = createRandom(7);
  const decimal = (min: number, max: number, digits: number) =>
    Number((min + random() * (max - min)).toFixed(digits));
  return Array.from({ length: count }, (_, i) => ({
    time: microsToTime(BigInt(Math.floor(random() * 1.7e12)) * 1000n, 3),
    latitude: decimal(-48, -34, 6),
    longitude: decimal(165, 180, 6),
    depth: decimal(1, 200, 4),
    magnitude: decimal(0.5, 6, 6),
    magnitude_type: random() < 0.8 ? "M" : "MLv",
    region: REGIONS[i % REGIONS.length],
    source_id: `20${10 + (i % 15)}p${String(100_000 + i)}`,
    event_type: "earthquake",
    used_station_count: Math.floor(random() * 100),
    azimuthal_gap: decimal(20, 300, 4),
    standard_error: decimal(0.05, 1, 6),
    minimum_distance: decimal(0.01, 2, 6),
  }));
}
