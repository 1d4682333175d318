import { hash } from "node:crypto";
import { type Field, meaningOf } from "#contracts/seismic-event/names.ts";
import { type EventIds, idsIn, idsOf } from "#contracts/seismic-event/public-ids.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "#contracts/seismic-event/seismic-event.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import { type PackedBulletin, packedBytes } from "../bulletins/packed-bulletin.ts";

/**
 * An event from an agency, under canonical names whatever the format. `time` is canonical and always
 * present; nothing else is validated. `source_id` is the bare public id, the same in QuakeML and in
 * text; the full id is in `extra.public_id` if it says more. `extra` also holds members without a
 * canonical name and the original of mapped values: for GeoNet's text, `extra.event_type` is
 * "duplicate" where `event_type` is "other event".
 */
export type AgencyEvent = JsonObject & { time: string };

/** An event of one answer; `line` is the line where it begins, from 1. */
export type AnsweredEvent = {
  readonly event: AgencyEvent;
  readonly line: number;
  /** Of answers that say more than the event's attributes. */
  readonly bulletin?: PackedBulletin;
};

/** An event of several answers; `answer` describes for people the request that returned it. */
export type PlacedEvent = AnsweredEvent & { readonly answer: string };

/** Packed bytes of a bulletin that count as one event where answers are sized; GeoNet's events have 2 to 5 kB. */
const EVENT_BYTES = 8 * 1024;

/** How many events of usual size it is like, at least one. */
export function weightOf({ bulletin }: AnsweredEvent): number {
  return bulletin === undefined ? 1 : Math.max(1, packedBytes(bulletin) / EVENT_BYTES);
}

/** Makes an event of a row; null when the row has no valid time. */
export type EventMaker = (row: JsonObject) => AgencyEvent | null;

/** For rows of bulletins, whose readers use canonical names. */
export const eventOfBulletin: EventMaker = (value) => {
  const row = detached(value) as JsonObject;
  const time = canonicalTime(row["time"]);
  return time === null ? null : Object.assign(row, { time });
};

/** For rows of FDSN text, keyed by their column names. */
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
    // An empty cell is an unknown magnitude; a missing one would be refused.
    event["magnitude"] ??= null;
    putIdentity(event, extra);
    if (Object.keys(extra).length > 0) event["extra"] = extra;
    return { ...event, time };
  };
}

/** Keeps values that the text reader could not convert, under their column names. */
function keepOriginals(
  originals: JsonValue,
  extra: JsonObject,
  fieldOf: (name: string) => Field | null,
): void {
  if (!isJsonObject(originals)) {
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

/** The ids by which messages name a row, as far as it has any. */
export function idsOfRow(row: JsonObject): EventIds {
  const ids = idsOf({ source_id: row["source_id"] ?? row["EventID"], extra: row["extra"] });
  const { sourceId, publicId } = ids;
  const isWhole = sourceId !== null && (publicId === null || publicId === sourceId);
  return isWhole ? idsIn(sourceId) : ids;
}

function canonicalTime(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? parseTime(value) : null;
}

/** V8 copies slices up to this length; a longer slice keeps the whole parent string in memory. */
const LONGEST_COPIED = 12;

/** A copy with all its strings copied: slices would keep the whole answer in memory. */
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

/** Never in a fingerprint: free for its keeper's own mark. */
export const FREE_BIT = 1n;
/** Always in a fingerprint, which is never 0 so. */
const SET_BIT = 2n;

/** Of all that an answer says of an event: 64 bits that differ where that does. */
export function fingerprintOf({ event, bulletin }: AnsweredEvent): bigint {
  const text = JSON.stringify(event) + (bulletin?.sha256 ?? "");
  const bits = hash("sha1", text, "buffer").readBigUInt64LE();
  return (bits & ~FREE_BIT) | SET_BIT;
}
