import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";

/** A seeded source of numbers in [0, 1): mulberry32, 32 bits of state; the same seed, the same catalogue. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const START_MS = Date.UTC(2015, 0, 1);
const SPAN_MS = 8 * 365 * 86_400_000;
const MIN_MAGNITUDE = 1.5;
const MAX_MAGNITUDE = 7.8;
/** Share of events that belong to a cluster; the rest is background. */
const CLUSTERED = 0.6;
const EVENTS_PER_CLUSTER = 500;

type Cluster = { latitude: number; longitude: number; depth: number; startMs: number };

/**
 * Submitted events as an agency would have them: background seismicity and clusters around New
 * Zealand whose rates decay as 1/t (Omori), magnitudes after Gutenberg and Richter (b = 1), and
 * quality attributes that get better with magnitude. Times have microseconds.
 */
export function* generateEvents(seed: number, count: number): Generator<JsonObject> {
  const random = randomOf(seed);
  const clusters = Array.from(
    { length: Math.max(1, Math.ceil(count / EVENTS_PER_CLUSTER)) },
    () => ({
      ...placeOf(random),
      startMs: START_MS + random() * SPAN_MS * 0.9,
    }),
  );
  for (let i = 0; i < count; i += 1) {
    const cluster = random() < CLUSTERED ? clusters[Math.floor(random() * clusters.length)] : null;
    yield eventOf(random, i, cluster ?? null);
  }
}

function placeOf(random: () => number): Omit<Cluster, "startMs"> {
  // Along the plate boundary, from Fiordland to the Kermadecs, across the antimeridian.
  const along = random();
  return {
    latitude: -46 + along * 16 + normal(random) * 0.5,
    longitude: 166.5 + along * 15 + normal(random) * 0.8,
    depth: Math.abs(normal(random)) * 40,
  };
}

function eventOf(random: () => number, index: number, cluster: Cluster | null): JsonObject {
  const place = cluster ?? placeOf(random);
  const spread = cluster ? 0.08 : 0;
  const elapsedMs = cluster ? Math.min(SPAN_MS * 0.1, 3_600_000 * (Math.exp(random() * 7) - 1)) : 0;
  const timeMs = cluster ? cluster.startMs + elapsedMs : START_MS + random() * SPAN_MS;
  const magnitude = Math.min(MAX_MAGNITUDE, MIN_MAGNITUDE - Math.log10(1 - random()));
  const stations = Math.max(4, Math.round(6 + (magnitude - 1) * 18 * random()));
  const micros = String(Math.floor(random() * 1000)).padStart(3, "0");
  return {
    source_id: `eq${index.toString(36).padStart(7, "0")}`,
    time: new Date(timeMs).toISOString().replace("Z", `${micros}Z`),
    latitude: round(place.latitude + normal(random) * spread, 6),
    longitude: wrap(round(place.longitude + normal(random) * spread, 6)),
    depth: round(Math.max(0, place.depth + normal(random) * 3), 3),
    magnitude: round(magnitude, 2),
    magnitude_type: magnitude > 5 ? "Mw" : "ML",
    event_type: random() < 0.995 ? "earthquake" : "quarry blast",
    region: `${Math.round(place.latitude)}, ${Math.round(place.longitude)}`,
    evaluation_mode: random() < 0.8 ? "manual" : "automatic",
    evaluation_status: random() < 0.7 ? "confirmed" : "preliminary",
    used_station_count: stations,
    used_phase_count: stations + Math.floor(stations * random()),
    azimuthal_gap: round(40 + 250 * random() ** 2, 2),
    standard_error: round(0.05 + random() * 0.9, 4),
    magnitude_uncertainty: round(0.05 + random() * 0.3, 3),
    depth_uncertainty: round(0.5 + random() * 8, 3),
  };
}

export function catalogueBody(name: string, seed: number, count: number): string {
  const parts: string[] = [];
  for (const event of generateEvents(seed, count)) parts.push(JSON.stringify(event));
  return `{"name":${JSON.stringify(name)},"events":[${parts.join(",")}]}`;
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function wrap(longitude: number): number {
  return longitude > 180 ? round(longitude - 360, 6) : longitude;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
