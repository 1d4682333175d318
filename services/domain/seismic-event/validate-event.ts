import {
  emptyRecord,
  type JsonObject,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { ATTRIBUTE_READERS } from "./attribute-reader.ts";
import { isTimeOfDay, readTime } from "./event-time.ts";
import { createExtraCollector, type ExtraCollector } from "./extra.ts";
import { readFocalMechanisms } from "./focal-mechanism.ts";
import { createKeyPlanner, type KeyPlan } from "./key-plan.ts";
import { dateOfParts, timeOfDayOfParts } from "./split-time.ts";
import { isPlainObject } from "./structure.ts";
import { isBlank } from "./text.ts";
import type { FieldError, Report, ValidatedEvent } from "./validation-result.ts";

export type ValidationOptions = {
  /** The present, milliseconds since 1970: times are not later than five minutes after it. */
  readonly nowMs: number;
};

export type EventValidator = (event: unknown) => ValidatedEvent;

/**
 * A validator of submitted events (contract §4 and §9, "Values"): any JSON value in, a record with
 * canonical names, units and enumerations out, or everything that is wrong with it.
 *
 * - `""`, blank text and null are "not known"; numbers may be decimal text. Time, latitude and
 *   longitude must be known. The magnitude must be given, and null says that it is not known: whoever
 *   leaves it out altogether may have misspelt its name.
 * - Of several names of one attribute, the canonical one that holds a value wins, then the aliases
 *   in their order; what loses and every unknown name is kept under `extra`.
 * - `date` and a time of day beside it are joined; year, month, day, hour, minute and second make a
 *   time where there is no other; a magnitude under `mw` or `ml` has that type.
 * - `id` is the submitter's identifier, unless there is a `source_id`: then it is ours, and dropped.
 * - `source_events` is kept under `extra`: provenance is ours to give.
 *
 * Make one per body: it remembers how the keys of the events were understood.
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

type State = {
  readonly given: Readonly<Record<string, unknown>>;
  readonly report: Report;
  extra: ExtraCollector | null;
};

const KNOWN_ALWAYS = ["latitude", "longitude"];

const NOTHING_READ = {
  ...emptyRecord({ time: "", latitude: 0, longitude: 0 }),
  latitude: null,
  longitude: null,
};

function validate(
  given: State["given"],
  plan: KeyPlan,
  options: ValidationOptions,
): ValidatedEvent {
  const errors: FieldError[] = [];
  const state: State = {
    given,
    report: (field, message) => errors.push({ field, message }),
    extra: null,
  };
  const record: Record<string, unknown> = { ...NOTHING_READ };

  record["time"] = readTime(chooseTime(state, plan), options.nowMs, state.report);
  readAttributes(state, plan, record);
  requireValues(record, plan, errors);
  record["focal_mechanisms"] = readMechanisms(state, plan);
  record["extra"] = readExtra(state, plan);

  if (errors.length === 0) return { ok: true, record: record as SeismicEventRecord };
  const id = record["source_id"];
  return typeof id === "string" ? { ok: false, id, errors } : { ok: false, errors };
}

function readAttributes(state: State, plan: KeyPlan, record: Record<string, unknown>): void {
  let impliedType: string | undefined;
  for (const { name, keys } of plan.attributes) {
    const key = choose(state, keys);
    if (key === undefined) continue;
    record[name] = ATTRIBUTE_READERS[name](state.given[key], state.report);
    if (name === "magnitude" && record[name] !== null) impliedType = plan.impliedTypes.get(key);
  }
  if (impliedType !== undefined) record["magnitude_type"] ??= impliedType;
}

function requireValues(record: Record<string, unknown>, plan: KeyPlan, errors: FieldError[]): void {
  for (const field of KNOWN_ALWAYS) {
    if (record[field] !== null || errors.some((error) => error.field === field)) continue;
    errors.push({ field, message: "is required" });
  }
  if (!plan.givesMagnitude) errors.push({ field: "magnitude", message: "is required" });
}

function readMechanisms(state: State, plan: KeyPlan): JsonObject[] | null {
  const key = choose(state, plan.focalMechanisms);
  return key === undefined ? null : readFocalMechanisms(state.given[key], state.report);
}

function readExtra(state: State, plan: KeyPlan): JsonObject | null {
  for (const key of plan.others) keep(state, key);
  const key = choose(state, plan.extra);
  if (key !== undefined) extraOf(state).merge(key, state.given[key]);
  return state.extra === null ? null : state.extra.finish(state.report);
}

/**
 * The time as given. A time of day alone is joined with the date of another column or of its parts; a
 * date alone is a time; where there is neither, the parts are one. What is not used is kept.
 */
function chooseTime(state: State, plan: KeyPlan): unknown {
  const { given } = state;
  const timeKey = choose(state, plan.time);
  const dateKey = choose(state, plan.date);
  const time = timeKey === undefined ? null : given[timeKey];
  const date = dateKey === undefined ? null : given[dateKey];
  if (time === null && date !== null) return unsplit(state, plan, date);
  if (dateKey === undefined) return timeOfParts(state, plan, time);
  if (typeof date === "string" && isTimeOfDay(time)) {
    return unsplit(state, plan, `${date.trim()} ${String(time).trim()}`);
  }
  keep(state, dateKey);
  return unsplit(state, plan, time);
}

function timeOfParts(state: State, { timeParts: parts }: KeyPlan, time: unknown): unknown {
  if (parts === null) return time;
  const date = dateOfParts(state.given, parts);
  if (date !== null && time === null) return `${date} ${timeOfDayOfParts(state.given, parts)}`;
  for (const key of parts.values()) keep(state, key);
  return date !== null && isTimeOfDay(time) ? `${date} ${String(time).trim()}` : time;
}

/** A time that needs no parts; they are kept. */
function unsplit(state: State, { timeParts }: KeyPlan, time: unknown): unknown {
  for (const key of timeParts?.values() ?? []) keep(state, key);
  return time;
}

/** The first of several names that holds a value; the values of the others are kept. */
function choose(state: State, keys: readonly string[]): string | undefined {
  let chosen: string | undefined;
  for (const key of keys) {
    if (!isGiven(state.given[key])) continue;
    if (chosen === undefined) chosen = key;
    else keep(state, key);
  }
  return chosen;
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined && !(typeof value === "string" && isBlank(value));
}

function keep(state: State, key: string): void {
  extraOf(state).add(key, state.given[key]);
}

function extraOf(state: State): ExtraCollector {
  state.extra ??= createExtraCollector();
  return state.extra;
}
