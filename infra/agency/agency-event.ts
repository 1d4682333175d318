import { type Field, meaningOf } from "#contracts/seismic-event/input-names.ts";
import { parseTime } from "#contracts/seismic-event/origin-time.ts";
import { type EventIds, idsIn, idsOf } from "#contracts/seismic-event/public-id.ts";
import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";

/**
 * An event as an agency gave it, under canonical names whatever the format: `time` is canonical and
 * always there, the rest is not judged. `source_id` is the bare public id, the same in QuakeML and in
 * text; the full one is `extra.public_id` where it says more. What has no canonical name, and the original
 * of what was mapped, is under `extra`: of GeoNet's text `extra.event_type` is "duplicate" where
 * `event_type` is "other event".
 */
export type AgencyEvent = JsonObject & { time: string };

/** An event in an answer of the agency; `line` is where it begins, from 1. */
export type AnsweredEvent = { readonly event: AgencyEvent; readonly line: number };

/** The same of several answers; `answer` says for a person which one it is: what was asked for. */
export type PlacedEvent = AnsweredEvent & { readonly answer: string };

/** Makes the event of a row, null when its time is none. */
export type EventMaker = (row: JsonObject) => AgencyEvent | null;

/** For rows of QuakeML, whose reader gives canonical names. */
export const eventOfQuakeml: EventMaker = (given) => {
  const row = detached(given) as JsonObject;
  const time = canonicalTime(row["time"]);
  return time === null ? null : Object.assign(row, { time });
};

/** For rows of FDSN text, keyed by the names of its columns. */
export function createTextEventMaker(): EventMaker {
  const fields = new Map<string, Field | null>();
  const fieldOf = (name: string): Field | null => {
    let field = fields.get(name);
    if (field === undefined) {
      field = meaningOf(name)?.field ?? null;
      fields.set(name, field);
    }
    return field;
  };

  return (row) => {
    const event: JsonObject = {};
    const extra: JsonObject = {};
    for (const name in row) {
      const value = row[name];
      if (value === null || value === undefined) continue;
      const field = fieldOf(name);
      if (field === "extra") keepOriginals(value, extra, fieldOf);
      else if (field !== null && event[field] === undefined) event[field] = value;
      else extra[name] = value;
    }
    const time = canonicalTime(event["time"]);
    if (time === null) return null;
    putIdentity(event, extra);
    if (Object.keys(extra).length > 0) event["extra"] = extra;
    return { ...event, time };
  };
}

/** What the reader of text could not take as it stood, kept under the names of its columns. */
function keepOriginals(
  originals: JsonValue,
  extra: JsonObject,
  fieldOf: (name: string) => Field | null,
): void {
  if (typeof originals !== "object" || originals === null || Array.isArray(originals)) {
    extra["extra"] = originals;
    return;
  }
  for (const [name, value] of Object.entries(originals)) extra[fieldOf(name) ?? name] = value;
}

function putIdentity(event: JsonObject, extra: JsonObject): void {
  const id = event["source_id"];
  if (typeof id !== "string") return;
  const { sourceId, publicId } = idsIn(id);
  if (publicId !== null) extra["public_id"] = publicId;
  event["source_id"] = sourceId;
}

/** Which event a row is about, where it says so. */
export function idsOfRow(row: JsonObject): EventIds {
  const ids = idsOf({ source_id: row["source_id"] ?? row["EventID"], extra: row["extra"] });
  const { sourceId, publicId } = ids;
  const isWhole = sourceId !== null && (publicId === null || publicId === sourceId);
  return isWhole ? idsIn(sourceId) : ids;
}

function canonicalTime(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? parseTime(value) : null;
}

/** V8 cuts no longer text than this out of another without keeping that other one alive. */
const LONGEST_COPIED = 12;

/**
 * The same value, its texts copied: they are slices of the answer's, and ten thousand events would
 * keep all their picks in memory.
 */
function detached(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    const isFree = value.length <= LONGEST_COPIED || !value.isWellFormed();
    return isFree ? value : Buffer.from(value).toString();
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(detached);
  for (const name in value) value[name] = detached(value[name] as JsonValue);
  return value;
}
