import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import type { Kind } from "#contracts/bulletin/field.ts";
import { KILOMETRES_TO_METRES } from "#contracts/bulletin/row-paths.ts";
import { movePoint } from "#contracts/seismic-event/input-names.ts";
import { fractionDigits, timeToMilliseconds } from "#contracts/seismic-event/origin-time.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import type { Identified } from "./solutions.ts";

type Json = Readonly<Record<string, unknown>>;

/** Who made a solution, and what it belongs to, does not make it another one. */
const ASIDE: ReadonlySet<string> = new Set([
  "publicID",
  "creationInfo",
  "foreign",
  "member",
  "originID",
  "derivedOriginID",
  "momentMagnitudeID",
  "triggeringOriginID",
]);
const PLACE: ReadonlySet<string> = new Set([...ASIDE, "time", "latitude", "longitude", "depth"]);

/**
 * Whether a solution that a table gives is one that an event has: all that the table says of it is there.
 * Places and times of origins are compared in the digits that the table has.
 */
export function isSameSolution(kind: Kind, given: Identified, present: Identified): boolean {
  if (kind !== "origin") return agrees(given, present, ASIDE);
  return (
    isSamePlace(given as unknown as Origin, present as unknown as Origin) &&
    agrees(given, present, PLACE)
  );
}

type Origin = QuakemlObject<"Origin">;

function isSamePlace(given: Origin, present: Origin): boolean {
  const isNear = (member: "latitude" | "longitude") =>
    isRounded(given[member].value, present[member].value, 1);
  return (
    isSameTime(given.time.value, present.time.value) &&
    isNear("latitude") &&
    isNear("longitude") &&
    (given.depth === undefined ||
      (present.depth !== undefined &&
        isRounded(inKilometres(given.depth.value), inKilometres(present.depth.value), 0))) &&
    (["time", "latitude", "longitude", "depth"] as const).every((member) =>
      agrees(given[member] ?? {}, present[member] ?? {}, new Set(["value"])),
    )
  );
}

function inKilometres(metres: number): number {
  return movePoint(metres, -KILOMETRES_TO_METRES) as number;
}

/** Rounded or cut off to the digits of the given one. */
function isSameTime(given: string, present: string): boolean {
  const [one, other] = [parseTime(given), parseTime(present)];
  if (one === null || other === null) return given === present;
  const difference = Math.abs(timeToMilliseconds(one) - timeToMilliseconds(other));
  return difference === 0 || difference < 1000 * 10 ** -fractionDigits(one);
}

/**
 * Whether a number is another one in fewer digits.
 * @param fewest digits after the point with which a number can be a rounded one: a whole number may have
 * lost its zeros
 */
function isRounded(given: number, present: number, fewest: number): boolean {
  if (given === present) return true;
  const digits = decimalsOf(given);
  return digits >= fewest && Math.abs(given - present) <= 0.5000001 * 10 ** -digits;
}

function decimalsOf(value: number): number {
  const [, fraction = ""] = /\.(\d+)$/.exec(String(value)) ?? [];
  return fraction.length;
}

/** Whether every member of an object, but for some, is in another with the same value. */
function agrees(given: object, present: object, aside: ReadonlySet<string>): boolean {
  return Object.entries(given).every(
    ([member, value]) => aside.has(member) || hasValue((present as Json)[member], value),
  );
}

function hasValue(present: unknown, given: unknown): boolean {
  if (given === present) return true;
  if (Array.isArray(given)) {
    return (
      Array.isArray(present) &&
      given.length === present.length &&
      given.every((item, i) => hasValue(present[i], item))
    );
  }
  const areObjects = isObject(given) && isObject(present);
  return areObjects && agrees(given, present, ASIDE);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
