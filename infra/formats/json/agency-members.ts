import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { timeOfMilliseconds } from "./time-value.ts";

/** USGS's summary: the event's network and code stand in members of their own. */
export function isUsgs(properties: JsonObject): boolean {
  return "net" in properties && "code" in properties;
}

/** `updated` stays as it is given, but that milliseconds become a readable time. */
export function usgsMembers(properties: JsonObject): JsonObject {
  const { updated = null } = properties;
  if (typeof updated !== "number") return { ...properties };
  return { ...properties, updated: timeOfMilliseconds(updated) ?? updated };
}

/** EMSC's services: the event's public id is `unid`, and `source_id` that of another catalogue. */
export function isEmsc(properties: JsonObject): boolean {
  return "unid" in properties && ("flynn_region" in properties || "evtype" in properties);
}

const EMSC_NAMES: Readonly<Record<string, string>> = {
  unid: "source_id",
  flynn_region: "region",
  evtype: "event_type",
  auth: "author",
};

/** The members under our names; what stood under them already is kept with EMSC's prefix. */
export function emscMembers(properties: JsonObject): JsonObject {
  const members: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(properties)) {
    const ours = Object.hasOwn(EMSC_NAMES, name) ? EMSC_NAMES[name] : undefined;
    if (ours !== undefined) members.push([ours, value]);
    else members.push([name === "source_id" ? "emsc_source_id" : name, value]);
  }
  return Object.fromEntries(members);
}
