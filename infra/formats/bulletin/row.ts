import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
  EVALUATION_MODES,
  EVALUATION_STATUSES,
  STRUCTURED_NAMES,
} from "#contracts/seismic-event/attributes.ts";
import { CONVERTED_FROM, isConversionMethod } from "#contracts/seismic-event/public-ids.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "#contracts/seismic-event/seismic-event.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import { decimalNumber, mapEventType, shiftDecimal, standsForUnknown } from "../written-values.ts";
import {
  childOf,
  childrenOf,
  FLINN_ENGDAHL,
  foreignAttribute,
  idsOfEvent,
  isOwnEvent,
  isOwnId,
  type Members,
  numberOf,
  OWN_ELEMENT,
  ownText,
  textOf,
} from "./members.ts";
import { preferredFirst, preferredMagnitude, preferredOrigin } from "./parts.ts";

/**
 * The row that shows a bulletin's preferred solution, or why there is none: canonical names, depth and
 * uncertainties in kilometres, what has no attribute under `extra`. Values that QuakeML does not allow,
 * which are in `foreign`, count as what they stand for. Keys are in canonical order; depth and magnitude may
 * be null.
 * @param event a bulletin, or one that is not yet whole
 * @param spelled numbers as they were spelled in another way than JSON's, of an event that has just been read
 */
export function rowOfBulletin(
  event: Members,
  warn: (message: string) => void,
  spelled: readonly Spelled[] = [],
): JsonObject | string {
  const mechanisms = childrenOf(event, "focalMechanism");
  const origin = preferredOrigin(event, childrenOf(event, "origin"), mechanisms);
  if (origin === undefined) return "the event has no origin";
  const time = textOf(childOf(origin, "time"), "value");
  if (time === undefined) return "the event's origin has no time";
  const row: JsonObject = { time, latitude: null, longitude: null, depth: null, magnitude: null };
  const draft: RowDraft = { row, extra: null, warn };
  const number = numberTexts(spelled);
  if (parseTime(time) === null) warn(`time ${JSON.stringify(shorten(time))} is not a valid time`);
  for (const name of ["latitude", "longitude"] as const) {
    const value = number(childOf(origin, name), "value");
    putNumber(draft, name, value);
    if (typeof draft.row[name] === "number") continue;
    return value === undefined
      ? `the event's origin has no ${name}`
      : `the event's ${name} ${JSON.stringify(shorten(String(value)))} is not a number`;
  }
  const magnitude = preferredMagnitude(event, childrenOf(event, "magnitude"), origin, warn);
  putDepthAndMagnitude(draft, origin, magnitude, number);
  putText(draft, "region", regionOf(event, origin, isOwnEvent(event)));
  const { sourceId, publicId } = idsOfEvent(event);
  putText(draft, "source_id", sourceId);
  putEventType(draft, textOf(event, "type"));
  putEnumeration(draft, "event_type_certainty", textOf(event, "typeCertainty"));
  putOrigin(draft, origin, number);
  putCreation(draft, event, origin);
  keepMembers(draft, origin, magnitude);
  if (publicId !== undefined) keep(draft, "public_id", publicId);
  if (mechanisms.length > 0) {
    draft.row["focal_mechanisms"] = preferredFirst(event, mechanisms).map((mechanism) =>
      readMechanism(mechanism, FOCAL_MECHANISM, warn),
    );
  }
  return withOwnAttributes(draft, ownText(event, OWN_ELEMENT));
}

/** The values of xs:boolean. */
export const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** Keeps members of an origin and the magnitude that have no attribute, including malformed text. */
function keepMembers(draft: RowDraft, origin: Members, magnitude: Members | undefined): void {
  for (const [name, member] of Object.entries(ORIGIN_FLAGS)) {
    const text = textOf(origin, member);
    if (text !== undefined) keep(draft, name, FLAGS.get(text) ?? text);
  }
  for (const [name, member] of Object.entries(ORIGIN_IDS)) keepText(draft, name, origin, member);
  keepUncertainty(draft, childOf(origin, "originUncertainty"));
  if (magnitude === undefined) return;
  if (!isConversionMethod(textOf(magnitude, "methodID") ?? "")) {
    keepText(draft, MAGNITUDE_METHOD, magnitude, "methodID");
  }
  keepText(draft, MAGNITUDE_AGENCY, childOf(magnitude, "creationInfo"), "agencyID");
}

function keepText(draft: RowDraft, name: string, node: Members | undefined, member: string): void {
  const text = textOf(node, member);
  if (text !== undefined) keep(draft, name, text);
}

function keepUncertainty(draft: RowDraft, node: Members | undefined): void {
  if (node === undefined) return;
  const uncertainty = membersOf(node, ORIGIN_UNCERTAINTY);
  if (Object.keys(uncertainty).length === 0 || isPlainCircle(uncertainty)) return;
  keep(draft, UNCERTAINTY, uncertainty);
}

function membersOf(node: Members, shape: MechanismShape): JsonObject {
  const members: JsonObject = {};
  for (const [member, kind] of Object.entries(shape)) {
    if (typeof kind === "object" && "members" in kind) {
      const child = childOf(node, member);
      if (child !== undefined) members[member] = membersOf(child, kind.members);
    } else {
      const value = kind === "real" ? numberOrText(numberOf(node, member)) : textOf(node, member);
      if (value !== undefined) members[member] = value;
    }
  }
  return members;
}

function numberOrText(text: number | string | undefined): JsonValue | undefined {
  if (typeof text !== "string") return text;
  const value = decimalNumber(text, 0);
  return Number.isFinite(value) ? value : text;
}

const METRES_TO_KILOMETRES = -3;

/** Types of descriptions that name the region, best first. */
export const REGION_DESCRIPTIONS = ["region name", FLINN_ENGDAHL, "earthquake name"];

type Spelled = { readonly object: Members; readonly member: string; readonly text: string };

type NumberText = (object: Members | undefined, member: string) => number | string | undefined;

/** Numbers as they were spelled: those that stand for "not known" are kept so. */
function numberTexts(spelled: readonly Spelled[]): NumberText {
  if (spelled.length === 0) return numberOf;
  return (object, member) =>
    spelled.find((item) => item.object === object && item.member === member)?.text ??
    numberOf(object, member);
}

function putDepthAndMagnitude(
  draft: RowDraft,
  origin: Members,
  magnitude: Members | undefined,
  number: NumberText,
): void {
  const depth = childOf(origin, "depth");
  const mag = childOf(magnitude, "mag");
  putNumber(draft, "depth", number(depth, "value"), METRES_TO_KILOMETRES);
  putNumber(draft, "magnitude", number(mag, "value"));
  putText(draft, "magnitude_type", textOf(magnitude, "type"));
  putNumber(draft, "magnitude_uncertainty", number(mag, "uncertainty"));
  putNumber(draft, "magnitude_station_count", number(magnitude, "stationCount"));
  putNumber(draft, "depth_uncertainty", number(depth, "uncertainty"), METRES_TO_KILOMETRES);
}

function putOrigin(draft: RowDraft, origin: Members, number: NumberText): void {
  putEnumeration(draft, "evaluation_mode", textOf(origin, "evaluationMode"));
  putEnumeration(draft, "evaluation_status", textOf(origin, "evaluationStatus"));
  const quality = childOf(origin, "quality");
  if (quality !== undefined) {
    putNumber(draft, "used_station_count", number(quality, "usedStationCount"));
    putNumber(draft, "used_phase_count", number(quality, "usedPhaseCount"));
    putNumber(draft, "azimuthal_gap", number(quality, "azimuthalGap"));
    putNumber(draft, "standard_error", number(quality, "standardError"));
    putNumber(draft, "minimum_distance", number(quality, "minimumDistance"));
  }
  const horizontal = childOf(origin, "originUncertainty");
  const radius =
    number(horizontal, "horizontalUncertainty") ?? number(horizontal, "maxHorizontalUncertainty");
  putNumber(draft, "horizontal_uncertainty", radius, METRES_TO_KILOMETRES);
  for (const name of ["time", "latitude", "longitude"] as const) {
    putNumber(draft, `${name}_uncertainty`, number(childOf(origin, name), "uncertainty"));
  }
  putEnumeration(draft, "depth_type", textOf(origin, "depthType"));
}

/** Agency and author come from the origin first, version and creation time from the event. */
function putCreation(draft: RowDraft, event: Members, origin: Members): void {
  const ofOrigin = childOf(origin, "creationInfo");
  const ofEvent = childOf(event, "creationInfo");
  if (ofOrigin === undefined && ofEvent === undefined) return;
  putText(draft, "agency_id", textOf(ofOrigin, "agencyID") ?? textOf(ofEvent, "agencyID"));
  putText(draft, "author", textOf(ofOrigin, "author") ?? textOf(ofEvent, "author"));
  const created = textOf(ofEvent, "creationTime") ?? textOf(ofOrigin, "creationTime");
  if (created !== undefined) keep(draft, "creation_time", created);
  const version = textOf(ofEvent, "version") ?? textOf(ofOrigin, "version");
  if (version !== undefined) keep(draft, "version", version);
}

function regionOf(event: Members, origin: Members, own: boolean): string | undefined {
  const descriptions = childrenOf(event, "description");
  for (const type of REGION_DESCRIPTIONS) {
    if (own && type === FLINN_ENGDAHL) continue;
    for (const description of descriptions) {
      if (textOf(description, "type") !== type) continue;
      const text = textOf(description, "text");
      if (text !== undefined) return text;
    }
  }
  return textOf(origin, "region");
}

/** Limit of nesting, twice the API's: deeper JSON could overflow the stack when serialised. */
const MAX_JSON_DEPTH = 64;

const STRUCTURED: ReadonlySet<string> = new Set(STRUCTURED_NAMES);
const KNOWN: ReadonlySet<string> = new Set([...ATTRIBUTE_NAMES, ...STRUCTURED_NAMES]);

/**
 * Values in our own element replace those read from QuakeML, which could not express them.
 * @param text of the element
 */
function withOwnAttributes({ row, extra, warn }: RowDraft, text: string | undefined): JsonObject {
  if (extra !== null) row["extra"] = extra;
  if (text === undefined) return row;
  const own = parseOwnAttributes(text);
  if (own === null) {
    warn("the event's own attributes are not what this service writes; left out");
    return row;
  }
  Object.assign(row, own);
  if (extra !== null) row["extra"] = { ...extra, ...(own["extra"] as JsonObject | undefined) };
  return row;
}

/**
 * The attributes in our own element; null when our writer cannot have written it. Anybody may write
 * such an element, so only known names with values of the right kind are taken, and like every row
 * they are validated on submission.
 */
function parseOwnAttributes(text: string): JsonObject | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isJsonObject(value) || !isShallow(value, MAX_JSON_DEPTH)) return null;
  return Object.entries(value).every(([name, item]) => isAllowed(name, item)) ? value : null;
}

function isAllowed(name: string, value: JsonValue): boolean {
  if (!KNOWN.has(name)) return false;
  if (name === "extra") return isJsonObject(value);
  if (STRUCTURED.has(name)) return Array.isArray(value) && value.every(isJsonObject);
  return value === null || typeof value === "string" || typeof value === "number";
}

function isShallow(value: JsonValue, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => isShallow(item, depth - 1));
}

/** A mechanism with plain numbers: uncertainties are dropped, an invalid number is reported. */
function readMechanism(
  node: Members,
  shape: MechanismShape,
  warn: (message: string) => void,
): JsonObject {
  const object: JsonObject = {};
  for (const member in shape) {
    const kind = shape[member];
    if (kind === undefined) continue;
    if (node[member] === undefined && node["foreign"] === undefined) continue;
    const value = readMember(node, member, kind, warn);
    if (value !== undefined) object[member] = value;
  }
  return object;
}

function readMember(
  node: Members,
  member: string,
  kind: MemberKind,
  warn: (message: string) => void,
): JsonValue | undefined {
  switch (kind) {
    case "quantity":
      return numberIn(numberOf(childOf(node, member), "value"), member, warn);
    case "real":
    case "integer":
    case "int":
      return numberIn(numberOf(node, member), member, warn);
    case "attribute":
      return numberIn(numberOf(node, member) ?? foreignAttribute(node, member), member, warn);
    case "id":
    case "publicID": {
      const id = textOf(node, member);
      return id === undefined || isOwnId(id) ? undefined : id;
    }
    case "time":
      return textOf(node, member);
    default:
      return readStructure(node, member, kind, warn);
  }
}

function readStructure(
  node: Members,
  member: string,
  kind: Exclude<MemberKind, string>,
  warn: (message: string) => void,
): JsonValue | undefined {
  if ("list" in kind) {
    const items = childrenOf(node, member);
    if (items.length === 0) return undefined;
    return items.map((item) => readMechanism(item, kind.list, warn));
  }
  if (!("members" in kind)) return textOf(node, member);
  const child = childOf(node, member);
  return child === undefined ? undefined : readMechanism(child, kind.members, warn);
}

function numberIn(
  given: number | string | undefined,
  member: string,
  warn: (message: string) => void,
): number | undefined {
  if (typeof given !== "string") return given;
  const value = shiftDecimal(given, 0) === null ? Number.NaN : Number(given);
  if (Number.isFinite(value)) return value;
  warn(`${member} of a focal mechanism is not a number and is left out`);
  return undefined;
}

/** A row under construction; unusable values go to `extra` by the attribute's name. */
type RowDraft = {
  readonly row: JsonObject;
  extra: JsonObject | null;
  readonly warn: (message: string) => void;
};

const ENUMERATIONS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(ATTRIBUTES as Record<string, Attribute>).flatMap(([name, { values }]) =>
    values === undefined
      ? []
      : [[name, new Map(values.map((value): [string, string] => [value.toLowerCase(), value]))]],
  ),
);

function keep(draft: RowDraft, name: string, value: JsonValue): void {
  draft.extra ??= {};
  draft.extra[name] = value;
}

/**
 * Sets a number after moving its decimal point by `places`. Text that is not a number, sentinels for
 * "unknown" and numbers out of range become null and are kept in `extra`; a latitude or longitude out of
 * range is set with a warning, since there is no row without them.
 */
function putNumber(
  draft: RowDraft,
  name: AttributeName,
  given: number | string | undefined,
  places = 0,
): void {
  if (given === undefined) return;
  const attribute: Attribute = ATTRIBUTES[name];
  const isReady = typeof given === "number" && (places === 0 || given === 0);
  const value = isReady ? given : decimalNumber(String(given), places);
  const fault = faultOf(name, attribute, value, given);
  if (fault !== null) {
    putNull(draft, name, String(given), fault);
    return;
  }
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = attribute;
  const isOutside = value < min || value > (name === "longitude" ? 360 : max);
  if (isOutside && name !== "latitude" && name !== "longitude") {
    putNull(draft, name, value, `is ${outside(min, max)}`);
    return;
  }
  draft.row[name] = value;
  if (isOutside) {
    draft.warn(`${name} ${value} is ${outside(min, max)}`);
  } else if (attribute.kind === "integer" && !Number.isInteger(value)) {
    draft.warn(`${name} ${value} is not an integer`);
  }
}

/** Agencies write −1 for "unknown" whatever the unit. */
function faultOf(
  name: AttributeName,
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Attribute,
  value: number,
  given: number | string,
): string | null {
  if (!Number.isFinite(value)) return "is not a number";
  if ((value >= min && value <= max) || name === "latitude" || name === "longitude") return null;
  const isUnknown = [value, Number(given)].some((number) =>
    standsForUnknown(name, number, { min, max }),
  );
  return isUnknown ? "stands for not known" : null;
}

function outside(min: number, max: number): string {
  return max === Number.POSITIVE_INFINITY ? `less than ${min}` : `outside ${min} to ${max}`;
}

function putNull(draft: RowDraft, name: string, value: string | number, reason: string): void {
  draft.row[name] = null;
  keep(draft, name, value);
  const told = typeof value === "string" ? shorten(value) : value;
  draft.warn(`${name} ${JSON.stringify(told)} ${reason}; kept in extra`);
}

/** Sets a value of an enumeration; any other value becomes null and is kept in `extra`. */
function putEnumeration(draft: RowDraft, name: AttributeName, text: string | undefined): void {
  if (text === undefined) return;
  const values = ENUMERATIONS.get(name);
  const value = values?.get(text) ?? values?.get(text.toLowerCase());
  if (value === undefined) putNull(draft, name, text, "is none of the values known for it");
  else draft.row[name] = value;
}

/** Sets the event type; a name outside QuakeML is mapped, and kept in `extra`. */
function putEventType(draft: RowDraft, text: string | undefined): void {
  if (text === undefined) return;
  if (ENUMERATIONS.get("event_type")?.get(text) === text) {
    draft.row["event_type"] = text;
    return;
  }
  const type = mapEventType(text);
  if (type === null) {
    putNull(draft, "event_type", text, "is no event type");
    return;
  }
  draft.row["event_type"] = type;
  if (type === text) return;
  keep(draft, "event_type", text);
  draft.warn(`event_type ${JSON.stringify(shorten(text))} is read as ${JSON.stringify(type)}`);
}

function putText(draft: RowDraft, name: AttributeName, text: string | undefined): void {
  if (text === undefined) return;
  draft.row[name] = text;
  const { maxLength }: Attribute = ATTRIBUTES[name];
  if (maxLength !== undefined && text.length > maxLength) {
    draft.warn(`${name} is longer than ${maxLength} characters`);
  }
}

function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}

/**
 * What a row holds of QuakeML's objects under QuakeML's names: mechanisms as an attribute, the
 * rest under `extra`.
 */

/**
 * How a member of QuakeML's FocalMechanism is written in XML and JSON: `quantity` is a number
 * within `<value>`; `real`, `integer` and `int` are bare numbers (xs:double, xs:integer, xs:int);
 * `attribute` is an integer and `publicID` an identifier in an XML attribute, `id` one in an
 * element.
 */
export type MemberKind =
  | "quantity"
  | "real"
  | "integer"
  | "int"
  | "attribute"
  | "id"
  | "publicID"
  | "time"
  | { readonly maxLength: number }
  | { readonly values: readonly string[] }
  | { readonly members: MechanismShape }
  | { readonly list: MechanismShape };

export type MechanismShape = { readonly [member: string]: MemberKind };

const PLANE: MechanismShape = { strike: "quantity", dip: "quantity", rake: "quantity" };
const AXIS: MechanismShape = { azimuth: "quantity", plunge: "quantity", length: "quantity" };
const CREATION_INFO: MechanismShape = {
  agencyID: { maxLength: 64 },
  author: { maxLength: 128 },
  creationTime: "time",
  version: { maxLength: 64 },
};

const MOMENT_TENSOR: MechanismShape = {
  publicID: "publicID",
  derivedOriginID: "id",
  momentMagnitudeID: "id",
  scalarMoment: "quantity",
  tensor: {
    members: {
      Mrr: "quantity",
      Mtt: "quantity",
      Mpp: "quantity",
      Mrt: "quantity",
      Mrp: "quantity",
      Mtp: "quantity",
    },
  },
  variance: "real",
  varianceReduction: "real",
  doubleCouple: "real",
  clvd: "real",
  iso: "real",
  greensFunctionID: "id",
  filterID: "id",
  sourceTimeFunction: {
    members: {
      type: { values: ["box car", "triangle", "trapezoid", "unknown"] },
      duration: "real",
      riseTime: "real",
      decayTime: "real",
    },
  },
  methodID: "id",
  category: { values: ["teleseismic", "regional"] },
  inversionType: { values: ["general", "zero trace", "double couple"] },
  dataUsed: {
    list: {
      waveType: {
        values: ["P waves", "body waves", "surface waves", "mantle waves", "combined", "unknown"],
      },
      stationCount: "integer",
      componentCount: "integer",
      shortestPeriod: "real",
      longestPeriod: "real",
    },
  },
  creationInfo: { members: CREATION_INFO },
};

/** The members of a focal mechanism that are read and written (QuakeML 1.2 BED, FocalMechanism). */
export const FOCAL_MECHANISM: MechanismShape = {
  publicID: "publicID",
  triggeringOriginID: "id",
  nodalPlanes: {
    members: {
      nodalPlane1: { members: PLANE },
      nodalPlane2: { members: PLANE },
      preferredPlane: "attribute",
    },
  },
  principalAxes: {
    members: { tAxis: { members: AXIS }, pAxis: { members: AXIS }, nAxis: { members: AXIS } },
  },
  azimuthalGap: "real",
  stationPolarityCount: "int",
  misfit: "real",
  stationDistributionRatio: "real",
  momentTensor: { members: MOMENT_TENSOR },
  methodID: "id",
  evaluationMode: { values: EVALUATION_MODES },
  evaluationStatus: { values: EVALUATION_STATUSES },
  creationInfo: { members: CREATION_INFO },
};

const CIRCLE = "horizontal uncertainty";

/** QuakeML's OriginUncertainty, with its own names and units: metres, degrees, percent. */
export const ORIGIN_UNCERTAINTY: MechanismShape = {
  horizontalUncertainty: "real",
  minHorizontalUncertainty: "real",
  maxHorizontalUncertainty: "real",
  azimuthMaxHorizontalUncertainty: "real",
  confidenceEllipsoid: {
    members: {
      semiMajorAxisLength: "real",
      semiMinorAxisLength: "real",
      semiIntermediateAxisLength: "real",
      majorAxisPlunge: "real",
      majorAxisAzimuth: "real",
      majorAxisRotation: "real",
    },
  },
  preferredDescription: { values: [CIRCLE, "uncertainty ellipse", "confidence ellipsoid"] },
  confidenceLevel: "real",
};

/** Whether the attribute `horizontal_uncertainty` contains all of it. */
export function isPlainCircle({
  horizontalUncertainty,
  preferredDescription = CIRCLE,
  ...more
}: JsonObject): boolean {
  const isCircle = preferredDescription === CIRCLE && Object.keys(more).length === 0;
  return horizontalUncertainty !== undefined && isCircle;
}

/** The radius in metres that is read as `horizontal_uncertainty`; for an ellipse, the largest. */
export function radiusOf(uncertainty: JsonObject): JsonValue | undefined {
  return uncertainty["horizontalUncertainty"] ?? uncertainty["maxHorizontalUncertainty"];
}

/** Members of an origin that have no attribute, by their names under `extra`; the writer puts them back. */
export const ORIGIN_FLAGS = { time_fixed: "timeFixed", epicenter_fixed: "epicenterFixed" } as const;
export const ORIGIN_IDS = { earth_model_id: "earthModelID", method_id: "methodID" } as const;

/** A magnitude's `methodID`, and the `agencyID` in its `creationInfo`. */
export const MAGNITUDE_METHOD = "magnitude_method_id";
export const MAGNITUDE_AGENCY = "magnitude_agency_id";

export const UNCERTAINTY = "origin_uncertainty";

/** Matches, in JSON, the names under `extra` of what the writer has places for. */
export const ANY_MEMBER = new RegExp(
  `"(?:${[
    ...Object.keys(ORIGIN_FLAGS),
    ...Object.keys(ORIGIN_IDS),
    MAGNITUDE_METHOD,
    MAGNITUDE_AGENCY,
    UNCERTAINTY,
    CONVERTED_FROM,
  ].join("|")})"`,
);
