import { unknownCase } from "#contracts/cases.ts";
import { Refusal } from "#contracts/errors.ts";
import { wrapLongitude } from "#contracts/geometry/globe.ts";
import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import type { MagnitudeNames } from "#contracts/seismic-event/columns.ts";
import { impliedBy, meaningOf, movePoint, normaliseName } from "#contracts/seismic-event/names.ts";
import {
  COLUMN_NAMES,
  emptyRecord,
  type JsonObject,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import {
  isMagnitudeType,
  isMissingWord,
  writtenDecimal,
} from "#contracts/seismic-event/written-numbers.ts";
import { magnitudeRank, withToldConversion } from "../magnitudes.ts";
import { createKeyPlanner, type KeyPlan } from "./columns.ts";
import {
  choose,
  type EventDraft,
  enumerationOf,
  extraOf,
  type FieldError,
  givenTime,
  isBlank,
  isGiven,
  isPlainObject,
  keep,
  missingTime,
  type Report,
  readEnumeration,
  readText,
  readTime,
  structureFault,
  type ValidatedEvent,
} from "./event-draft.ts";

/** Reads a given value of one attribute; null for a blank or, with a report, an invalid one. */
type AttributeReader = (value: unknown, report: Report) => string | number | null;

/** One reader per attribute, made from the table of attributes. */
const ATTRIBUTE_READERS = Object.fromEntries(
  ATTRIBUTE_NAMES.map((name) => [name, readerOf(name)]),
) as Readonly<Record<AttributeName, AttributeReader>>;

function readerOf(name: AttributeName): AttributeReader {
  if (name === "longitude") return longitudeReader();
  const attribute: Attribute = ATTRIBUTES[name];
  switch (attribute.kind) {
    case "number":
    case "integer": {
      const limits = { ...attribute, integer: attribute.kind === "integer" };
      return (value, report) => readNumber(name, limits, value, report);
    }
    case "text": {
      const maxLength = attribute.maxLength ?? 255;
      return (value, report) => readText(name, maxLength, value, report);
    }
    case "enumeration": {
      const values = enumerationOf(attribute.values ?? []);
      return (value, report) => readEnumeration(name, values, value, report);
    }
    default:
      return unknownCase(attribute.kind);
  }
}

function longitudeReader(): AttributeReader {
  const limits = { ...ATTRIBUTES.longitude, max: 360, integer: false };
  return (value, report) => {
    const longitude = readNumber("longitude", limits, value, report);
    return longitude === null ? null : wrapLongitude(longitude);
  };
}

type NumberLimits = Pick<Attribute, "min" | "max" | "unit"> & { readonly integer: boolean };

/**
 * A number within limits, given as a number or as text (in rows of files): decimal or with its unit,
 * a word for missing is null. Null when absent or, with a report, invalid. Negative zero becomes zero, since JSON does not distinguish them.
 */
function readNumber(
  field: AttributeName,
  limits: NumberLimits,
  value: unknown,
  report: Report,
): number | null {
  const number = typeof value === "number" ? value : numberOfText(field, value);
  if (number === null) return null;
  if (!Number.isFinite(number)) {
    const isText = typeof value === "string";
    const isNumber = isText ? writtenDecimal(field, value) !== null : typeof value === "number";
    return report(field, isNumber ? "must be a finite number" : "must be a number");
  }
  if (limits.integer && !Number.isInteger(number)) return report(field, "must be an integer");
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = limits;
  return number < min || number > max ? report(field, rangeMessage(limits)) : number + 0;
}

/** NaN when not a number; null when absent. */
function numberOfText(field: AttributeName, value: unknown): number | null {
  if (typeof value !== "string") return Number.NaN;
  const text = value.trim();
  if (text === "" || isMissingWord(text)) return null;
  const decimal = writtenDecimal(field, text);
  return decimal === null ? Number.NaN : Number(decimal);
}

function rangeMessage({ min, max, unit }: NumberLimits): string {
  const units = unit === undefined ? "" : ` ${unit}`;
  if (min === undefined) return `must be at most ${max}${units}`;
  if (max === undefined) return `must be at least ${min}${units}`;
  return `must be between ${min} and ${max}${units}`;
}

type Shape = { readonly [member: string]: "number" | Shape };

const PLANE: Shape = { strike: "number", dip: "number", rake: "number" };
const AXIS: Shape = { azimuth: "number", plunge: "number", length: "number" };

/** The numeric members of QuakeML 1.2 BED's FocalMechanism, as plain numbers. */
const FOCAL_MECHANISM: Shape = {
  nodalPlanes: { nodalPlane1: PLANE, nodalPlane2: PLANE, preferredPlane: "number" },
  principalAxes: { tAxis: AXIS, pAxis: AXIS, nAxis: AXIS },
  azimuthalGap: "number",
  stationPolarityCount: "number",
  misfit: "number",
  stationDistributionRatio: "number",
  momentTensor: {
    scalarMoment: "number",
    tensor: {
      Mrr: "number",
      Mtt: "number",
      Mpp: "number",
      Mrt: "number",
      Mrp: "number",
      Mtp: "number",
    },
    variance: "number",
    varianceReduction: "number",
    doubleCouple: "number",
    clvd: "number",
    iso: "number",
    sourceTimeFunction: { duration: "number", riseTime: "number", decayTime: "number" },
  },
};

/**
 * Focal mechanisms as a list, or as JSON text of one (in rows of files); an empty list becomes null.
 * The known numbers are validated, other members kept unchanged.
 */
function readFocalMechanisms(value: unknown, report: Report): JsonObject[] | null {
  const list = typeof value === "string" ? parseList(value) : value;
  if (list === null) return null;
  const fault = faultOf(list);
  if (fault !== null) return report("focal_mechanisms", fault);
  return isObjectList(list) && list.length > 0 ? list : null;
}

function parseList(text: string): unknown {
  if (isBlank(text)) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function faultOf(list: unknown): string | null {
  if (!isObjectList(list)) return "must be a list of objects";
  for (const [index, mechanism] of list.entries()) {
    const fault = shapeFault(mechanism, FOCAL_MECHANISM, `[${index}]`);
    if (fault !== null) return fault;
  }
  return structureFault(list);
}

function isObjectList(value: unknown): value is JsonObject[] {
  return Array.isArray(value) && value.every(isPlainObject);
}

function shapeFault(object: JsonObject, shape: Shape, path: string): string | null {
  for (const [member, expected] of Object.entries(shape)) {
    const value = object[member];
    if (value === undefined || value === null) continue;
    if (expected === "number") {
      if (!Number.isFinite(value)) return `${path}.${member} must be a finite number`;
      continue;
    }
    if (!isPlainObject(value)) return `${path}.${member} must be an object`;
    const fault = shapeFault(value, expected, `${path}.${member}`);
    if (fault !== null) return fault;
  }
  return null;
}

export type ValidationOptions = {
  /** The present, milliseconds since 1970; times may be at most five minutes later. */
  readonly nowMs: number;
};

export type EventValidator = (event: unknown) => ValidatedEvent;

/**
 * A validator of submitted events: takes any JSON value and returns a record with canonical names,
 * units and enumerations, or all problems.
 *
 * - `""`, blank text and null mean "unknown"; numbers may be decimal text. Time, latitude and
 *   longitude must be known. The magnitude must be present, with null for an unknown one, since its
 *   absence may be a misspelt name.
 * - Of several names of one attribute, the canonical one wins if it has a value, then aliases in
 *   their order; losing values and foreign members are kept under `extra`.
 * - `date` is joined with a separate time of day; year, month, day, hour, minute and second make a
 *   time if there is no other; a magnitude under `mw` or `ml` has that type; of ISC's several
 *   magnitudes the one with the best type is taken; USGS's `status` and ISC's `DEPFIX` imply
 *   evaluation and depth type, unless these are given.
 * - `id` is the submitter's identifier, unless there is a `source_id`: then it is ours and dropped.
 * - `source_events` is kept under `extra`, since only the service sets provenance.
 *
 * Make one per body: it caches how the keys of events were interpreted.
 */
export function createEventValidator(options: ValidationOptions): EventValidator {
  const planOf = createKeyPlanner();
  return (event) => {
    if (!isPlainObject(event)) {
      return { ok: false, errors: [{ field: "event", message: "must be an object" }] };
    }
    return validate(event, planOf(event), options);
  };
}

/** Validates a single event; see `createEventValidator`. */
export function validateEvent(event: unknown, options: ValidationOptions): ValidatedEvent {
  return createEventValidator(options)(event);
}

const KNOWN_ALWAYS = ["latitude", "longitude"] as const;

const NOTHING_READ = {
  ...emptyRecord({ time: "", latitude: 0, longitude: 0 }),
  latitude: null,
  longitude: null,
};

/** What a part of an event gives: a record in which the rest is unknown. */
export type GivenAttributes = {
  readonly record: SeismicEventRecord;
  /** The columns for which there are names, whatever their values. */
  readonly named: ReadonlySet<string>;
  readonly errors: readonly FieldError[];
};

/** Reads events of which nothing is required. Make one per body, as of validators. */
export function createPartReader(
  options: ValidationOptions,
): (event: Readonly<Record<string, unknown>>) => GivenAttributes {
  const planOf = createKeyPlanner();
  return (members) => {
    const plan = planOf(members);
    const named = new Set<string>(plan.attributes.map(({ name }) => name));
    if (plan.givesMagnitude) named.add("magnitude");
    if (plan.focalMechanisms.length > 0) named.add("focal_mechanisms");
    if (plan.time.length + plan.date.length > 0 || plan.timeParts !== null) named.add("time");
    return { named, ...read(members, plan, options, named.has("time")) };
  };
}

function validate(
  members: EventDraft["members"],
  plan: KeyPlan,
  options: ValidationOptions,
): ValidatedEvent {
  const { record, errors } = read(members, plan, options, true);
  requireValues(record, plan, errors);
  if (errors.length === 0) return { ok: true, record };
  const id = record["source_id"];
  return typeof id === "string" ? { ok: false, id, errors } : { ok: false, errors };
}

function read(
  members: EventDraft["members"],
  plan: KeyPlan,
  options: ValidationOptions,
  withTime: boolean,
): { record: SeismicEventRecord; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const event: EventDraft = {
    members,
    report: (field, message) => {
      errors.push({ field, message });
      return null;
    },
    extra: null,
  };
  const record: Record<string, unknown> = { ...NOTHING_READ };

  const missing = () => missingTime(event, plan);
  if (withTime) {
    record["time"] = readTime(givenTime(event, plan), { ...options, missing }, event.report);
  }
  readAttributes(event, plan, record);
  const mechanisms = choose(event, plan.focalMechanisms);
  record["focal_mechanisms"] =
    mechanisms === undefined ? null : readFocalMechanisms(members[mechanisms], event.report);
  for (const key of plan.others) keep(event, key);
  const extra = choose(event, plan.extra);
  if (extra !== undefined) extraOf(event).merge(extra, members[extra]);
  record["extra"] = event.extra?.finish(event.report) ?? null;
  return { record: record as SeismicEventRecord, errors };
}

function readAttributes(event: EventDraft, plan: KeyPlan, record: Record<string, unknown>): void {
  let impliedType: string | undefined;
  for (const { name, keys } of plan.attributes) {
    const key = choose(event, keys);
    if (key === undefined) continue;
    const places = plan.places.get(key);
    const value = event.members[key];
    const inUnit = places === undefined ? value : movePoint(value, places);
    if (name === "event_type" && isTypeOfMagnitude(key, value)) {
      impliedType ??= value.trim();
      continue;
    }
    record[name] = ATTRIBUTE_READERS[name](inUnit, event.report);
    if (name === "magnitude" && record[name] !== null) {
      impliedType = plan.impliedTypes.get(key) ?? impliedType;
    }
  }
  if (impliedType !== undefined) record["magnitude_type"] ??= impliedType;
  if (plan.magnitudes.length > 0) readSeveralMagnitudes(event, plan.magnitudes, record);
  for (const key of plan.implying) {
    for (const [name, value] of impliedBy(key, event.members[key])) record[name] ??= value;
  }
}

/** AFAD's `type` is that of the magnitude. */
function isTypeOfMagnitude(key: string, value: unknown): value is string {
  return key.toLowerCase() === "type" && typeof value === "string" && isMagnitudeType(value);
}

function requireValues(record: SeismicEventRecord, plan: KeyPlan, errors: FieldError[]): void {
  for (const field of KNOWN_ALWAYS) {
    if (record[field] !== null || errors.some((error) => error.field === field)) continue;
    errors.push({ field, message: "is required" });
  }
  if (!plan.givesMagnitude) errors.push({ field: "magnitude", message: "is required" });
}

/**
 * Selects from an event's several magnitudes the one with the best type, the first of equals, unless
 * the event has a magnitude already. The others are kept unchanged.
 */
function readSeveralMagnitudes(
  event: EventDraft,
  magnitudes: readonly MagnitudeNames[],
  record: Record<string, unknown>,
): void {
  const chosen = record["magnitude"] === null ? bestOf(event, magnitudes) : undefined;
  for (const names of magnitudes) {
    if (names === chosen) take(event, names, record);
    else {
      keep(event, names.type);
      keep(event, names.magnitude);
    }
  }
}

function bestOf({ members }: EventDraft, magnitudes: readonly MagnitudeNames[]) {
  let best: MagnitudeNames | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const names of magnitudes) {
    if (!isGiven(members[names.magnitude])) continue;
    const type = members[names.type];
    const rank = magnitudeRank(typeof type === "string" ? type.trim() : null);
    if (rank < bestRank) [best, bestRank] = [names, rank];
  }
  return best;
}

function take(event: EventDraft, names: MagnitudeNames, record: Record<string, unknown>): void {
  const { members, report } = event;
  record["magnitude"] = ATTRIBUTE_READERS.magnitude(members[names.magnitude], report);
  if (record["magnitude_type"] !== null) keep(event, names.type);
  else if (isGiven(members[names.type])) {
    record["magnitude_type"] = ATTRIBUTE_READERS.magnitude_type(members[names.type], report);
  }
}

/** Required for an event; other invalid attributes are dropped. */
const INDISPENSABLE = new Set(["event", "time", "latitude", "longitude", "source_id", "extra"]);

/**
 * A validator of rows of the format readers that takes an event in spite of attributes out of range:
 * they become null and are kept in `extra` by the agency's names.
 */
export function createRelievingValidator(nowMs: number): (row: JsonObject) => ValidatedEvent {
  const validate = createEventValidator({ nowMs });
  return (row) => {
    const first = validate(row);
    const relieved = first.ok ? null : withoutFaults(row, first.errors);
    return relieved === null ? first : validate(relieved);
  };
}

/** The row with its invalid attributes moved to `extra`; null when a required one is invalid. */
function withoutFaults(row: JsonObject, errors: readonly FieldError[]): JsonObject | null {
  const faulty = new Set(errors.map(({ field }) => field));
  if (errors.some(({ field }) => INDISPENSABLE.has(field))) return null;
  const { extra: foreign = null, ...members } = row;
  if (foreign !== null && !isPlainObject(foreign)) return null;
  const extra: JsonObject = { ...(foreign as JsonObject | null) };
  const relieved: JsonObject = {};
  for (const [key, value] of Object.entries(members)) {
    const field = meaningOf(key)?.field;
    const isFaulty = field !== undefined && faulty.has(field);
    relieved[key] = isFaulty ? null : value;
    if (isFaulty && !Object.hasOwn(extra, key)) extra[key] = value;
  }
  return { ...relieved, extra };
}

/** Members that only the service sets: the id, and a merge's provenance. */
const FIXED = new Set(["id", "source_events"].map(normaliseName));

/**
 * A record with some attributes changed. Names are interpreted as in a submission, null clears an
 * optional attribute and marks a magnitude as unknown, `extra` replaces all foreign attributes, and
 * an unknown name changes one of them.
 * @throws Refusal VALIDATION_ERROR with all problems, when the event would become invalid
 */
export function patchEvent(
  before: SeismicEventRecord,
  patch: Readonly<Record<string, unknown>>,
  { nowMs }: { nowMs: number },
): SeismicEventRecord {
  const { source_events } = before;
  const errors: FieldError[] = [];
  // What is stored of an event, without what is told of it beside.
  const changed: Record<string, unknown> = Object.fromEntries(
    COLUMN_NAMES.filter((name) => name !== "source_events").map((name) => [name, before[name]]),
  );
  const named = new Set<string>();
  const further: [string, unknown][] = [];
  for (const [key, value] of Object.entries(patch)) {
    if (FIXED.has(normaliseName(key))) {
      errors.push({ field: key, message: "cannot be changed" });
      continue;
    }
    const meaning = meaningOf(key);
    if (meaning === null) {
      further.push([key, value]);
      continue;
    }
    const field = meaning.field === "date" ? "time" : meaning.field;
    if (named.has(field)) errors.push({ field, message: "is given twice" });
    else {
      named.add(field);
      changed[field] = meaning.places === undefined ? value : movePoint(value, meaning.places);
    }
  }
  changed["extra"] = withFurther(changed["extra"], further);
  const result = validateEvent(changed, { nowMs });
  if (!result.ok) errors.push(...result.errors);
  if (errors.length > 0 || !result.ok) {
    const sentence = errors.map(({ field, message }) => `${field} ${message}`).join("; ");
    throw new Refusal("VALIDATION_ERROR", sentence, { details: errors });
  }
  const record = { ...result.record, source_events };
  return named.has("extra") ? record : withToldConversion(before, record);
}

/** The members of a patch that are no attributes, and go to `extra`. */
export function foreignMembers(patch: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(patch).filter(
    (key) => !FIXED.has(normaliseName(key)) && meaningOf(key) === null,
  );
}

function withFurther(extra: unknown, further: readonly [string, unknown][]): unknown {
  if (further.length === 0 || (extra !== null && !isPlainObject(extra))) return extra;
  const members = new Map(Object.entries((extra ?? {}) as JsonObject));
  for (const [key, value] of further) {
    if (value === null) members.delete(key);
    else members.set(key, value as JsonObject);
  }
  return Object.fromEntries(members);
}
