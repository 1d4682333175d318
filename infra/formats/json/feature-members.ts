import type { Field } from "#contracts/seismic-event/input-names.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "#contracts/seismic-event/seismic-event.ts";
import { timeOfMilliseconds } from "../time-sense.ts";

const EMSC_NAMES: Readonly<Record<string, string>> = {
  unid: "source_id",
  flynn_region: "region",
  evtype: "event_type",
  auth: "author",
};

/** Recognises USGS's summary by its members for the event's network and code. */
function isUsgs(properties: JsonObject): boolean {
  return "net" in properties && "code" in properties;
}

/** USGS's members, with their times, which are milliseconds, as readable ones. */
function usgsMembers(properties: JsonObject): JsonObject {
  const { time = null, updated = null } = properties;
  return {
    ...properties,
    ...(typeof time === "number" && { time: timeOfMilliseconds(time) ?? time }),
    ...(typeof updated === "number" && { updated: timeOfMilliseconds(updated) ?? updated }),
  };
}

/** EMSC's services: the event's public id is `unid`, and `source_id` is that of another catalogue. */
function isEmsc(properties: JsonObject): boolean {
  return "unid" in properties && ("flynn_region" in properties || "evtype" in properties);
}

/** EMSC's members under our names; other members with these names get EMSC's prefix. */
function emscMembers(properties: JsonObject): JsonObject {
  const members: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(properties)) {
    const ours = Object.hasOwn(EMSC_NAMES, name) ? EMSC_NAMES[name] : undefined;
    if (ours !== undefined) members.push([ours, value]);
    else members.push([name === "source_id" ? "emsc_source_id" : name, value]);
  }
  return Object.fromEntries(members);
}

/** An event's members from a GeoJSON Feature, or why it has none. */
export type FeatureMembers =
  | { readonly ok: true; readonly members: JsonObject }
  | { readonly ok: false; readonly message: string };

/** Other members of a Feature are foreign and kept like properties. */
const FEATURE_MEMBERS = new Set(["type", "id", "geometry", "properties"]);

export function isFeature(value: JsonObject): boolean {
  return value["type"] === "Feature" || ("geometry" in value && "properties" in value);
}

/** Flattens a Feature (RFC 7946): `properties`, the point unless they have a position, the id. */
export function featureMembers(
  feature: JsonObject,
  fieldOf: (name: string) => Field | null,
  warn: (message: string) => void,
): FeatureMembers {
  const properties = feature["properties"] ?? {};
  if (!isJsonObject(properties)) return { ok: false, message: "properties are no object" };
  const usgs = isUsgs(properties);
  const emsc = isEmsc(properties);
  const members = usgs
    ? usgsMembers(properties)
    : emsc
      ? emscMembers(properties)
      : { ...properties };
  const filled = filledFields(members, fieldOf);
  const fault = addPosition(members, filled, feature["geometry"] ?? null, usgs, warn);
  if (fault !== null) return { ok: false, message: fault };
  addId(members, feature["id"] ?? null, emsc);
  for (const [name, value] of Object.entries(feature)) {
    if (!FEATURE_MEMBERS.has(name) && !Object.hasOwn(members, name)) members[name] = value;
  }
  return { ok: true, members };
}

/** If there is a `source_id`, the Feature's id is ours: a re-imported export. */
function addId(members: JsonObject, id: JsonValue, emsc: boolean): void {
  if (id === null) return;
  if (!("id" in members)) {
    if (!emsc || members["source_id"] !== id) members["id"] = id;
  } else if (members["id"] !== id) members["feature_id"] = id;
}

/** The fields with a value, under any of their names. */
function filledFields(
  members: JsonObject,
  fieldOf: (name: string) => Field | null,
): Set<Field | null> {
  const filled = new Set<Field | null>();
  for (const name in members) if ((members[name] ?? null) !== null) filled.add(fieldOf(name));
  return filled;
}

function addPosition(
  members: JsonObject,
  filled: ReadonlySet<Field | null>,
  geometry: JsonValue,
  usgs: boolean,
  warn: (message: string) => void,
): string | null {
  const point = pointOf(geometry);
  if (typeof point === "string") {
    if (!filled.has("latitude") || !filled.has("longitude")) return point;
    warn(`${point}; its properties say where it is`);
    return null;
  }
  const [longitude = null, latitude = null, height = null] = point;
  if (!filled.has("longitude")) members["longitude"] = longitude;
  if (!filled.has("latitude")) members["latitude"] = latitude;
  if (height !== null && !filled.has("depth")) {
    members["depth"] = usgs ? height : depthOf(height, warn);
  }
  return null;
}

/** Kilometres, positive down or, from EMSC, negative; USGS's depths are always taken as given. */
function depthOf(height: number, warn: (message: string) => void): number {
  if (height >= 0) return height;
  warn(`the third coordinate ${height} is read as ${-height} km below the surface`);
  return -height;
}

function pointOf(geometry: JsonValue): readonly number[] | string {
  if (geometry === null) return "the geometry is missing";
  if (!isJsonObject(geometry)) return "the geometry is no object";
  if (geometry["type"] !== "Point") return "the geometry is no Point";
  const coordinates = geometry["coordinates"];
  const isPoint =
    Array.isArray(coordinates) &&
    coordinates.length >= 2 &&
    coordinates.slice(0, 2).every((value) => typeof value === "number") &&
    (typeof coordinates[2] === "number" || (coordinates[2] ?? null) === null);
  return isPoint
    ? (coordinates.slice(0, 3) as number[])
    : "the coordinates are not longitude, latitude and an optional depth";
}
