import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { timeOfMilliseconds } from "../time-sense.ts";

const EMSC_NAMES: Readonly<Record<string, string>> = {
  unid: "source_id",
  flynn_region: "region",
  evtype: "event_type",
  auth: "author",
};

/** Recognises USGS's summary by its members for the event's network and code. */
export function isUsgs(properties: JsonObject): boolean {
  return "net" in properties && "code" in properties;
}

/** USGS's members, with their times, which are milliseconds, as readable ones. */
export function usgsMembers(properties: JsonObject): JsonObject {
  const { time = null, updated = null } = properties;
  return {
    ...properties,
    ...(typeof time === "number" && { time: timeOfMilliseconds(time) ?? time }),
    ...(typeof updated === "number" && { updated: timeOfMilliseconds(updated) ?? updated }),
  };
}

/** EMSC's services: the event's public id is `unid`, and `source_id` is that of another catalogue. */
export function isEmsc(properties: JsonObject): boolean {
  return "unid" in properties && ("flynn_region" in properties || "evtype" in properties);
}

/** EMSC's members under our names; other members with these names get EMSC's prefix. */
export function emscMembers(properties: JsonObject): JsonObject {
  const members: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(properties)) {
    const ours = Object.hasOwn(EMSC_NAMES, name) ? EMSC_NAMES[name] : undefined;
    if (ours !== undefined) members.push([ours, value]);
    else members.push([name === "source_id" ? "emsc_source_id" : name, value]);
  }
  return Object.fromEntries(members);
}
