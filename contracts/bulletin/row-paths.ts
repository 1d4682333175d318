import type { AttributeName } from "../seismic-event/attributes.ts";
import { movePoint } from "../seismic-event/input-names.ts";

/**
 * Where an attribute of a row stands in its bulletin: a member of the event or of the shown origin or
 * magnitude, or a part of one. A part `value` or `uncertainty` is of a quantity.
 */
export type RowPath = {
  readonly of: "event" | "origin" | "magnitude";
  readonly path: readonly [member: string] | readonly [member: string, part: string];
  /** Powers of ten from the row's unit to the bulletin's: kilometres are metres there. */
  readonly places?: number;
};

export const KILOMETRES_TO_METRES = 3;

const origin = (member: string, part: string) => ({ of: "origin", path: [member, part] }) as const;
const originKm = (member: string, part: string) =>
  ({ ...origin(member, part), places: KILOMETRES_TO_METRES }) as const;

/**
 * The attributes that have one place. Not here: the region, which is a description, the horizontal
 * uncertainty, which is the first of a list, and `source_id`, which is part of the public id.
 */
export const ROW_PATHS = {
  time: origin("time", "value"),
  latitude: origin("latitude", "value"),
  longitude: origin("longitude", "value"),
  depth: originKm("depth", "value"),
  time_uncertainty: origin("time", "uncertainty"),
  latitude_uncertainty: origin("latitude", "uncertainty"),
  longitude_uncertainty: origin("longitude", "uncertainty"),
  depth_uncertainty: originKm("depth", "uncertainty"),
  depth_type: { of: "origin", path: ["depthType"] },
  evaluation_mode: { of: "origin", path: ["evaluationMode"] },
  evaluation_status: { of: "origin", path: ["evaluationStatus"] },
  used_station_count: origin("quality", "usedStationCount"),
  used_phase_count: origin("quality", "usedPhaseCount"),
  azimuthal_gap: origin("quality", "azimuthalGap"),
  standard_error: origin("quality", "standardError"),
  minimum_distance: origin("quality", "minimumDistance"),
  agency_id: origin("creationInfo", "agencyID"),
  author: origin("creationInfo", "author"),
  magnitude: { of: "magnitude", path: ["mag", "value"] },
  magnitude_type: { of: "magnitude", path: ["type"] },
  magnitude_uncertainty: { of: "magnitude", path: ["mag", "uncertainty"] },
  magnitude_station_count: { of: "magnitude", path: ["stationCount"] },
  event_type: { of: "event", path: ["type"] },
  event_type_certainty: { of: "event", path: ["typeCertainty"] },
} as const satisfies Partial<Record<"time" | AttributeName, RowPath>>;

export type PathName = keyof typeof ROW_PATHS;

/** The attributes of a path of an event, origin or magnitude. */
export function pathNames(of: RowPath["of"]): PathName[] {
  return (Object.keys(ROW_PATHS) as PathName[]).filter((name) => ROW_PATHS[name].of === of);
}

type Json = Readonly<Record<string, unknown>>;

/**
 * The object with a row's value in its place. Null takes it out, a quantity's value with the whole
 * quantity. An uncertainty of nothing has no place and is left out.
 */
export function withRowValue<T extends object>(object: T, name: PathName, value: unknown): T {
  const { path, places = 0 }: RowPath = ROW_PATHS[name];
  const moved = places === 0 ? value : movePoint(value, places);
  const [member, part] = path;
  if (part === undefined) return withMember(object, member, moved);
  const { [part]: _, ...rest } = ((object as Json)[member] ?? {}) as Json;
  if (moved === null) {
    const isLeft = part !== "value" && Object.keys(rest).length > 0;
    return withMember(object, member, isLeft ? rest : null);
  }
  if (part === "uncertainty" && rest["value"] === undefined) return object;
  return withMember(object, member, { ...rest, [part]: moved });
}

/** The row's value of an attribute, null where the object has none. */
export function rowValueIn(object: object | undefined, name: PathName): unknown {
  const { path, places = 0 }: RowPath = ROW_PATHS[name];
  const [member, part] = path;
  const found = (object as Json | undefined)?.[member];
  const value = part === undefined ? found : (found as Json | undefined)?.[part];
  return value === undefined ? null : places === 0 ? value : movePoint(value, -places);
}

/** The object with a member; null takes it out. */
export function withMember<T extends object>(object: T, member: string, value: unknown): T {
  const { [member]: _, ...rest } = object as Json;
  return (value === null ? rest : { ...rest, [member]: value }) as T;
}
