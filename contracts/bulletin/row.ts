/**
 * An event's row as its bulletin: where each attribute stands in it, and the bulletin of an
 * event that has none.
 */

import type { AttributeName } from "../seismic-event/attributes.ts";
import {
  compactEventId,
  EVENT_ID_PATH,
  OWN_AUTHORITY,
  SOURCE_ID_PATH,
} from "../seismic-event/ids.ts";
import { movePoint } from "../seismic-event/names.ts";
import { bareId, idsOf, methodOfConverted } from "../seismic-event/public-ids.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type SeismicEvent,
  type SeismicEventRecord,
} from "../seismic-event/seismic-event.ts";
import { KILOMETRES_TO_METRES } from "../units.ts";
import { withOwnAttributes } from "./own-members.ts";
import {
  type Bulletin,
  type Field,
  QUAKEML_TYPES,
  type QuakemlObject,
  type TypeName,
} from "./quakeml.ts";

type Origin = QuakemlObject<"Origin">;
type Magnitude = QuakemlObject<"Magnitude">;
type Mechanism = QuakemlObject<"FocalMechanism">;

const ONE_WORD = /^\w+$/;

type RowIds = ReturnType<typeof rowIds>;

/**
 * Ids of the service for what an event's row says, which has none of its own.
 * @param suffix of a later version of it, with a slash before
 */
export function rowIds(eventId: string, suffix = "") {
  const id = compactEventId(eventId) + suffix;
  const mechanism = (place: number) => `${OWN_AUTHORITY}mechanism/${id}/${place}`;
  return {
    origin: `${OWN_AUTHORITY}origin/${id}`,
    magnitude: `${OWN_AUTHORITY}magnitude/${id}`,
    /** @param place from 1 */
    mechanism,
    tensor: (place: number) => `${mechanism(place)}/tensor`,
  };
}

/**
 * The bulletin of an event that has none: what its row says, as one origin, one magnitude and the
 * mechanisms, so that its view is the row again. What QuakeML has no place for stands in the event's own
 * element; of `extra`, members of an origin or magnitude come into their places, others stay the row's.
 */
export function bulletinOfRow(event: SeismicEvent): Bulletin {
  const ids = rowIds(event.id);
  const origin = originOfRow(event, ids.origin);
  const magnitude = event.magnitude === null ? null : magnitudeOfRow(event, ids);
  const mechanisms = mechanismsOfRow(event.focal_mechanisms ?? [], ids);
  const bulletin: Bulletin = {
    publicID: publicIdOf(event),
    ...(event.region !== null && { description: [{ text: event.region, type: "region name" }] }),
    ...(mechanisms.list.length > 0 && {
      focalMechanism: mechanisms.list,
      preferredFocalMechanismID: mechanisms.list[0]?.publicID,
    }),
    ...(magnitude !== null && { magnitude: [magnitude], preferredMagnitudeID: magnitude.publicID }),
    origin: [origin],
    preferredOriginID: origin.publicID,
  } as Bulletin;
  const withTypes = pathNames("event").reduce((b, name) => placed(b, name, event), bulletin);
  const unsaid = unsaidIn(event, withTypes, mechanisms.exact);
  return withOwnAttributes(withExtraMembers(withTypes, event), unsaid);
}

function placed<T extends object>(object: T, name: PathName, event: SeismicEvent): T {
  return event[name] === null ? object : withRowValue(object, name, event[name]);
}

function originOfRow(event: SeismicEvent, publicID: string): Origin {
  const origin = pathNames("origin").reduce((o, name) => placed(o, name, event), {
    publicID,
  } as Origin);
  const radius = event.horizontal_uncertainty;
  return radius === null ? origin : { ...origin, originUncertainty: [circleOf(radius)] };
}

/** @param radius kilometres */
export function circleOf(radius: number): QuakemlObject<"OriginUncertainty"> {
  return {
    horizontalUncertainty: movePoint(radius, KILOMETRES_TO_METRES) as number,
    preferredDescription: "horizontal uncertainty",
  };
}

function magnitudeOfRow(event: SeismicEvent, ids: RowIds): Magnitude {
  const magnitude = { publicID: ids.magnitude, originID: ids.origin } as Magnitude;
  return pathNames("magnitude").reduce((m, name) => placed(m, name, event), magnitude);
}

/**
 * Mechanisms of a row; `exact` is false when something of them has no place.
 * @param present those of the bulletin at the same places, whose hidden members stay
 */
export function mechanismsOfRow(
  rows: readonly JsonObject[],
  ids: RowIds,
  present: readonly (Mechanism | undefined)[] = [],
): { readonly list: Mechanism[]; readonly exact: boolean } {
  const list: Mechanism[] = [];
  let isExact = true;
  for (const [i, row] of rows.entries()) {
    const own = {
      FocalMechanism: { publicID: ids.mechanism(i + 1) },
      MomentTensor: { publicID: ids.tensor(i + 1), derivedOriginID: ids.origin },
    };
    const { object, exact } = placedObject("FocalMechanism", row, present[i], own);
    isExact &&= exact;
    const mechanism = object === null ? present[i] : (object as unknown as Mechanism);
    if (mechanism !== undefined) list.push(mechanism);
  }
  return { list, exact: isExact };
}

/** The agency's public id, if the row has it, else one that names the row's own id. */
function publicIdOf(event: SeismicEvent): string {
  const { publicId } = idsOf(event);
  if (publicId !== null) return publicId;
  const { id, source_id: sourceId } = event;
  return sourceId !== null && ONE_WORD.test(sourceId)
    ? SOURCE_ID_PATH + sourceId
    : EVENT_ID_PATH + compactEventId(id);
}

/** What the row says and the bulletin's places do not. */
function unsaidIn(event: SeismicEvent, bulletin: Bulletin, hasMechanisms: boolean): JsonObject {
  const unsaid: JsonObject = {};
  const objects = {
    event: bulletin,
    origin: bulletin.origin?.[0],
    magnitude: bulletin.magnitude?.[0],
  };
  for (const kind of ["event", "origin", "magnitude"] as const) {
    for (const name of pathNames(kind)) {
      if (rowValueIn(objects[kind], name) !== event[name]) unsaid[name] = event[name];
    }
  }
  const { focal_mechanisms: mechanisms, horizontal_uncertainty: radius } = event;
  const metres = bulletin.origin?.[0]?.originUncertainty?.[0]?.horizontalUncertainty ?? null;
  if (movePoint(metres, -KILOMETRES_TO_METRES) !== radius) {
    unsaid["horizontal_uncertainty"] = radius;
  }
  if (!hasMechanisms && mechanisms !== null) unsaid["focal_mechanisms"] = mechanisms;
  if (sourceIdIn(bulletin.publicID) !== event.source_id) unsaid["source_id"] = event.source_id;
  return unsaid;
}

function sourceIdIn(publicID: string): string | null {
  if (publicID.startsWith(EVENT_ID_PATH)) return null;
  return publicID.startsWith(SOURCE_ID_PATH)
    ? publicID.slice(SOURCE_ID_PATH.length)
    : bareId(publicID);
}

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

const ofOrigin = (member: string, part: string) =>
  ({ of: "origin", path: [member, part] }) as const;
const ofOriginInKm = (member: string, part: string) =>
  ({ ...ofOrigin(member, part), places: KILOMETRES_TO_METRES }) as const;

/**
 * The attributes that have one place. Not here: the region, which is a description, the horizontal
 * uncertainty, which is the first of a list, and `source_id`, which is part of the public id.
 */
export const ROW_PATHS = {
  time: ofOrigin("time", "value"),
  latitude: ofOrigin("latitude", "value"),
  longitude: ofOrigin("longitude", "value"),
  depth: ofOriginInKm("depth", "value"),
  time_uncertainty: ofOrigin("time", "uncertainty"),
  latitude_uncertainty: ofOrigin("latitude", "uncertainty"),
  longitude_uncertainty: ofOrigin("longitude", "uncertainty"),
  depth_uncertainty: ofOriginInKm("depth", "uncertainty"),
  depth_type: { of: "origin", path: ["depthType"] },
  evaluation_mode: { of: "origin", path: ["evaluationMode"] },
  evaluation_status: { of: "origin", path: ["evaluationStatus"] },
  used_station_count: ofOrigin("quality", "usedStationCount"),
  used_phase_count: ofOrigin("quality", "usedPhaseCount"),
  azimuthal_gap: ofOrigin("quality", "azimuthalGap"),
  standard_error: ofOrigin("quality", "standardError"),
  minimum_distance: ofOrigin("quality", "minimumDistance"),
  agency_id: ofOrigin("creationInfo", "agencyID"),
  author: ofOrigin("creationInfo", "author"),
  magnitude: { of: "magnitude", path: ["mag", "value"] },
  magnitude_type: { of: "magnitude", path: ["type"] },
  magnitude_uncertainty: { of: "magnitude", path: ["mag", "uncertainty"] },
  magnitude_station_count: { of: "magnitude", path: ["stationCount"] },
  event_type: { of: "event", path: ["type"] },
  event_type_certainty: { of: "event", path: ["typeCertainty"] },
} as const satisfies Partial<Record<"time" | AttributeName, RowPath>>;

type PathName = keyof typeof ROW_PATHS;

/** The attributes of a path of an event, origin or magnitude. */
export function pathNames(of: RowPath["of"]): PathName[] {
  return (Object.keys(ROW_PATHS) as PathName[]).filter((name) => ROW_PATHS[name].of === of);
}

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
function rowValueIn(object: object | undefined, name: PathName): unknown {
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

type Members = Readonly<Record<string, string>>;

/** Names under a row's `extra` of members that have no attribute, by the object that they are of. */
const OF_ORIGIN: Members = {
  time_fixed: "timeFixed",
  epicenter_fixed: "epicenterFixed",
  earth_model_id: "earthModelID",
  method_id: "methodID",
};
const OF_CREATION: Members = { creation_time: "creationTime", version: "version" };
/** Whose the magnitude is, where that is another agency than the origin's. */
export const EXTRA_MAGNITUDE_AGENCY = "magnitude_agency_id";
const AGENCY_OF_MAGNITUDE: Members = { [EXTRA_MAGNITUDE_AGENCY]: "agencyID" };
export const EXTRA_MAGNITUDE_METHOD = "magnitude_method_id";
const OF_MAGNITUDE: Members = { [EXTRA_MAGNITUDE_METHOD]: "methodID" };
const UNCERTAINTY = "origin_uncertainty";

export const EXTRA_OF_ORIGIN: readonly string[] = [...Object.keys(OF_ORIGIN), UNCERTAINTY];
export const EXTRA_OF_MAGNITUDE: readonly string[] = [
  EXTRA_MAGNITUDE_AGENCY,
  EXTRA_MAGNITUDE_METHOD,
];

/** The bulletin of a row with what the row's `extra` says of its event, origin and magnitude. */
function withExtraMembers(
  bulletin: Bulletin,
  { extra, horizontal_uncertainty: radius }: SeismicEventRecord,
): Bulletin {
  if (extra === null) return bulletin;
  const { origin: [origin] = [], magnitude: [magnitude] = [] } = bulletin;
  const uncertainty = uncertaintyIn(extra[UNCERTAINTY], radius);
  const withUncertainty =
    origin && uncertainty !== null ? { ...origin, originUncertainty: [uncertainty] } : origin;
  return {
    ...withCreation(bulletin, extra, OF_CREATION),
    ...(withUncertainty && { origin: [withTexts(withUncertainty, extra, OF_ORIGIN)] }),
    ...(magnitude && {
      magnitude: [
        withTexts(
          withCreation(withMethod(magnitude, extra), extra, AGENCY_OF_MAGNITUDE),
          extra,
          OF_MAGNITUDE,
        ),
      ],
    }),
  };
}

function withMethod(magnitude: QuakemlObject<"Magnitude">, extra: JsonObject) {
  const methodID = methodOfConverted(extra);
  return methodID === null ? magnitude : { ...magnitude, methodID };
}

function withCreation<T extends { readonly creationInfo?: QuakemlObject<"CreationInfo"> }>(
  object: T,
  extra: JsonObject,
  members: Members,
): T {
  const creationInfo = withTexts(object.creationInfo ?? {}, extra, members);
  return Object.keys(creationInfo).length === 0 ? object : { ...object, creationInfo };
}

function withTexts<T extends object>(object: T, extra: JsonObject, members: Members): T {
  return Object.entries(members).reduce((present, [name, member]) => {
    const value = extra[name];
    const isOfKind = member.endsWith("Fixed")
      ? typeof value === "boolean"
      : typeof value === "string" && value.trim() !== "";
    return isOfKind ? withMember(present, member, value) : present;
  }, object);
}

/** @param radius kilometres; one that differs was edited since, or is of another solution */
function uncertaintyIn(
  given: unknown,
  radius: number | null,
): QuakemlObject<"OriginUncertainty"> | null {
  if (!isJsonObject(given as JsonObject)) return null;
  const { object, exact } = placedObject("OriginUncertainty", given as JsonObject, undefined, {});
  if (object === null || !exact) return null;
  const uncertainty = object as QuakemlObject<"OriginUncertainty">;
  const metres = uncertainty.horizontalUncertainty ?? uncertainty.maxHorizontalUncertainty ?? null;
  return movePoint(metres, -KILOMETRES_TO_METRES) === radius ? uncertainty : null;
}

type Json = Readonly<Record<string, unknown>>;

/** An object of a QuakeML type; not `exact` when a value of its row has no place in it. */
type Placed = { readonly object: Json | null; readonly exact: boolean };

/** Ids for objects that need one and whose row does not give it. */
export type PlacedIds = Partial<Record<TypeName, Readonly<Record<string, string>>>>;

/** Members that rows do not show. */
const HIDDEN: ReadonlySet<string> = new Set([
  "comment",
  "waveformID",
  "agencyURI",
  "authorURI",
  "member",
]);

const NOTHING: Json = {};

/**
 * A structure of a row, with plain numbers, as an object of a QuakeML type. What `present` has beside
 * it stays: uncertainties, and members that rows do not show. The object is null where it would lack
 * what QuakeML requires.
 */
function placedObject(
  type: TypeName,
  given: JsonObject,
  present: object | undefined,
  ids: PlacedIds,
): Placed {
  const placing = { ids, exact: true };
  const object = placeObject(placing, type, given, (present ?? NOTHING) as Json);
  return { object: object ?? null, exact: placing.exact && object !== undefined };
}

type Placing = { readonly ids: PlacedIds; exact: boolean };

function placeObject(
  placing: Placing,
  type: TypeName,
  given: JsonObject,
  present: Json,
): Json | undefined {
  const fields: Readonly<Record<string, Field>> = QUAKEML_TYPES[type];
  const object: Record<string, unknown> = { ...placing.ids[type], ...hiddenPart(fields, present) };
  for (const [member, value] of Object.entries(given)) {
    const field = Object.hasOwn(fields, member) && !HIDDEN.has(member) ? fields[member] : undefined;
    const placed = field && placeMember(placing, field, value, present[member]);
    if (placed === undefined) placing.exact = false;
    else object[member] = placed;
  }
  const isWhole = Object.entries(fields).every(
    ([name, { required }]) => !required || name in object,
  );
  return isWhole && Object.keys(object).length > 0 ? object : undefined;
}

/** What stays whatever the row says: hidden members, ids of the service, further list entries. */
function hiddenPart(fields: Readonly<Record<string, Field>>, present: Json): Json {
  const hidden: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(present)) {
    const isForeign = !Object.hasOwn(fields, member);
    if (isForeign || HIDDEN.has(member) || isOwnId(value)) hidden[member] = value;
  }
  return hidden;
}

function isOwnId(value: unknown): boolean {
  return typeof value === "string" && value.startsWith(OWN_AUTHORITY);
}

function placeMember(placing: Placing, field: Field, value: JsonValue, present: unknown): unknown {
  if (!field.many) return placeSingle(placing, field, value, present);
  const before = Array.isArray(present) ? present : [];
  // A row shows the first moment tensor only, as an object; other lists are lists in both.
  if (isJsonObject(value)) {
    const first = placeSingle(placing, field, value, before[0]);
    return first === undefined ? undefined : [first, ...before.slice(1)];
  }
  if (!Array.isArray(value) || value.length === 0 || field.type === "MomentTensor")
    return undefined;
  const list = value.map((item, i) => placeSingle(placing, field, item, before[i]));
  return list.includes(undefined) ? undefined : list;
}

function placeSingle(placing: Placing, field: Field, value: JsonValue, present: unknown): unknown {
  if (field.kind !== "object") return isOfKind(field, value) ? value : undefined;
  const before = (isJsonObject(present) ? present : NOTHING) as Json;
  if (field.type === "RealQuantity") {
    return Number.isFinite(value) ? { ...before, value } : undefined;
  }
  if (!isJsonObject(value)) return undefined;
  return placeObject(placing, field.type as TypeName, value, before);
}

function isOfKind({ kind, values, maxLength }: Field, value: JsonValue): boolean {
  switch (kind) {
    case "real":
      return Number.isFinite(value);
    case "integer":
      return Number.isSafeInteger(value);
    case "boolean":
      return typeof value === "boolean";
    case "object":
      return false;
    default:
      if (typeof value !== "string" || value.trim() !== value || value === "") return false;
      if (isOwnId(value)) return false;
      return (values?.includes(value) ?? true) && value.length <= (maxLength ?? value.length);
  }
}
