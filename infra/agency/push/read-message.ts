import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "#contracts/seismic-event/seismic-event.ts";
import { createJsonReader } from "../../formats/json/reader.ts";
import { parseJson } from "../../json/json-body.ts";
import { InvalidJson } from "../../json/scan.ts";
import { type AgencyEvent, eventOfBulletin } from "../agency-event.ts";

/** An event that an agency sent by itself. */
export type PushedEvent = {
  /** The agency's id of it. */
  readonly id: string;
  readonly event: AgencyEvent;
};

/** What a message says; `ignored`: nothing that is followed. */
export type ReadMessage =
  | { readonly outcome: "event"; readonly pushed: PushedEvent }
  | { readonly outcome: "ignored" | "oversize" | "malformed" };

/** EMSC's have some 700 bytes. */
const MAX_BYTES = 64 * 1024;
const LONGEST_TEXT = 500;

/** Those of EMSC's service; others of a message are nobody's. */
const PROPERTIES = [
  "source_id",
  "source_catalog",
  "lastupdate",
  "time",
  "flynn_region",
  "lat",
  "lon",
  "depth",
  "evtype",
  "auth",
  "mag",
  "magtype",
  "unid",
] as const;

/**
 * Reads a message of EMSC's live feed: `{action, data}`, where `data` is a Feature with an altitude, not a depth,
 * as third coordinate. Only `create` and `update` are followed: what an agency says by itself takes nothing away.
 */
export function readMessage(bytes: Buffer): ReadMessage {
  if (bytes.length > MAX_BYTES) return { outcome: "oversize" };
  const message = parsed(bytes);
  if (!isJsonObject(message)) return { outcome: "malformed" };
  const { action, data = null } = message;
  if (action !== "create" && action !== "update") return { outcome: "ignored" };
  const pushed = isJsonObject(data) ? pushedEvent(data) : null;
  return pushed === null ? { outcome: "malformed" } : { outcome: "event", pushed };
}

function parsed(bytes: Buffer): JsonValue {
  try {
    return parseJson(bytes) as JsonValue;
  } catch (error) {
    if (error instanceof InvalidJson) return null;
    throw error;
  }
}

/** Null without an id, or without a time. */
function pushedEvent(data: JsonObject): PushedEvent | null {
  const properties = propertiesOf(data["properties"] ?? null);
  const id = properties["unid"] ?? plain(data["id"]);
  if (typeof id !== "string" || id.trim() === "") return null;
  const [longitude = null, latitude = null, altitude = null] = coordinatesOf(data["geometry"]);
  const given: JsonObject = {
    // By its type, known or not, the reader recognises EMSC's Features.
    evtype: null,
    lat: latitude,
    lon: longitude,
    depth: altitude === null ? null : 0 - altitude,
    ...properties,
    unid: id,
  };
  const row = readRow({ type: "Feature", geometry: null, properties: given });
  const event = row === null ? null : eventOfBulletin(row);
  return event === null ? null : { id, event };
}

function propertiesOf(value: JsonValue): JsonObject {
  if (!isJsonObject(value)) return {};
  const known = PROPERTIES.map((name) => [name, plain(value[name])] as const);
  return Object.fromEntries(known.filter(([, member]) => member !== null));
}

/** A number, or a text of some length; null for anything else. */
function plain(value: JsonValue | undefined): string | number | null {
  if (typeof value === "number") return value;
  return typeof value === "string" && value.length <= LONGEST_TEXT ? value : null;
}

function coordinatesOf(geometry: JsonValue | undefined): (number | null)[] {
  const list = isJsonObject(geometry) ? geometry["coordinates"] : null;
  if (!Array.isArray(list)) return [];
  return list.slice(0, 3).map((value) => (typeof value === "number" ? value : null));
}

function readRow(feature: JsonObject): JsonObject | null {
  let read: JsonObject | null = null;
  const reader = createJsonReader({
    row(row) {
      read = row;
    },
    error() {},
    warning() {},
  });
  reader.write(JSON.stringify(feature));
  for (const _ of reader.end());
  return read;
}
