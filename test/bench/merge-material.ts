import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { Origin, Origins } from "#services/domain/merge/origins.ts";
import { generateEvents, randomOf } from "../support/generate-catalogue.ts";
import { originsOf } from "../support/origins-of.ts";
import { displacedCopy } from "../unit/merge/displaced-copy.ts";

/** σ of a copy's errors: what two agencies differ by. */
const ERRORS = { seconds: 2, kilometres: 8 };

function originsOfEvents(events: Iterable<JsonObject>): Origin[] {
  return Array.from(events, (event) => ({
    source: 0,
    id: String(event["source_id"]),
    time: String(event["time"]),
    latitude: Number(event["latitude"]),
    longitude: Number(event["longitude"]),
  }));
}

/** The origins of a catalogue of `size` events and of its displaced copy, as a merge reads them: by time. */
export function catalogueAndCopy(size: number): Origins {
  const events = originsOfEvents(generateEvents(1, size));
  const both = [...events, ...displacedCopy(events, ERRORS, randomOf(2))];
  return originsOf(both.sort(byTimeThenId));
}

/** Times of as many digits. */
function byTimeThenId(a: Origin, b: Origin): number {
  if (a.time === b.time) return a.id < b.id ? -1 : 1;
  return a.time < b.time ? -1 : 1;
}

/** The events of the same two catalogues as they are submitted. */
export function submittedCatalogueAndCopy(size: number): [JsonObject[], JsonObject[]] {
  const events = [...generateEvents(1, size)];
  return [events, submittedCopy(events, 2)];
}

/** The same earthquakes as another agency would submit them; another seed, another agency. */
export function submittedCopy(events: readonly JsonObject[], seed: number): JsonObject[] {
  const displaced = displacedCopy(originsOfEvents(events), ERRORS, randomOf(seed));
  return events.map((event, i) => {
    const { time = "", latitude = 0, longitude = 0, id = "" } = displaced[i] ?? {};
    return { ...event, time, latitude, longitude, source_id: id };
  });
}

/** The sort that the grouping is measured against: rows by their time alone. */
export function sortByTime({ length, seconds, micros }: Origins): Int32Array {
  const times = seconds.map((whole, row) => whole + (micros[row] ?? 0) / 1e6);
  return Int32Array.from({ length }, (_, row) => row).sort(
    (a, b) => (times[a] ?? 0) - (times[b] ?? 0),
  );
}
