import { EXTRA_MAGNITUDE_AGENCY, EXTRA_MAGNITUDE_METHOD } from "#contracts/bulletin/row.ts";
import { invalid } from "#contracts/errors.ts";
import type { MagnitudeConversion } from "#contracts/merges/config.ts";
import { knownConversion } from "#contracts/merges/conversions.ts";
import { CONVERTED_FROM } from "#contracts/seismic-event/public-ids.ts";
import type { JsonObject, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";

/** Of known ones by name, and others whole. @throws Refusal VALIDATION_ERROR for an unknown name */
export function resolvedConversions(
  given: readonly (string | MagnitudeConversion)[],
): MagnitudeConversion[] {
  return given.map((one) => {
    if (typeof one !== "string") return one;
    const known = knownConversion(one);
    if (known === undefined) throw invalid("conversions", `no conversion is called ${one}`);
    return known;
  });
}

/** What a conversion looks at. */
export type ConvertibleMagnitude = Pick<SeismicEventRecord, "magnitude" | "magnitude_type"> & {
  /** Whose the magnitude is. */
  readonly agency: string | null;
};

/** Whose the magnitude of a row is: where nothing else is said, the origin's agency. */
export function agencyOfMagnitude({ extra, agency_id }: SeismicEventRecord): string | null {
  const own = extra?.[EXTRA_MAGNITUDE_AGENCY];
  return typeof own === "string" && own !== "" ? own : agency_id;
}

/** `none`: no conversion is for its type and agency; `outOfRange`: some are, for other sizes. */
export type Fit = MagnitudeConversion | "none" | "outOfRange";

/** The first conversion that is for a magnitude's type, agency and size. */
export function fittingConversion(
  { magnitude, magnitude_type: type, agency }: ConvertibleMagnitude,
  conversions: readonly MagnitudeConversion[],
): Fit {
  if (magnitude === null || type === null) return "none";
  const meant = conversions.filter(
    (one) =>
      isSameType(one.from, type) && (one.agency === undefined || isSame(one.agency, agency ?? "")),
  );
  if (meant.length === 0) return "none";
  const isWithin = ({ range: [low, high] }: MagnitudeConversion) =>
    low <= magnitude && magnitude <= high;
  return meant.find(isWithin) ?? "outOfRange";
}

/** The case of the b alone matters: mB is of broad-band body waves, mb of short-period ones. */
function isSameType(a: string, b: string): boolean {
  return isSame(a, b) && (a.charAt(1) === b.charAt(1) || a.charAt(1).toLowerCase() !== "b");
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** More digits than any magnitude has, and fewer than the noise of binary fractions. */
const SIGNIFICANT_DIGITS = 12;

type Converted = Pick<
  SeismicEventRecord,
  "magnitude" | "magnitude_type" | "magnitude_uncertainty" | "extra"
>;

/**
 * What of an event's row a conversion changes. The old magnitude is kept; of one that was converted before, the
 * first is kept inside it.
 * @param magnitude within the conversion's range
 */
export function converted(
  record: SeismicEventRecord,
  magnitude: number,
  { name, to, slope, intercept, sigma }: MagnitudeConversion,
): Converted {
  const { magnitude_type, magnitude_uncertainty } = record;
  // How the old one was made says nothing of the new one.
  const {
    [CONVERTED_FROM]: before,
    [EXTRA_MAGNITUDE_METHOD]: method,
    ...rest
  } = record.extra ?? {};
  const first = firstOf(before);
  const from: JsonObject = {
    magnitude,
    magnitude_type,
    magnitude_uncertainty,
    conversion: name,
    ...(method !== undefined && { [EXTRA_MAGNITUDE_METHOD]: method }),
    ...(first !== undefined && { [CONVERTED_FROM]: first }),
  };
  return {
    magnitude: withoutNoise(slope * magnitude + intercept),
    magnitude_type: to,
    magnitude_uncertainty: withoutNoise(Math.hypot(slope * (magnitude_uncertainty ?? 0), sigma)),
    extra: { ...rest, [CONVERTED_FROM]: from },
  };
}

/** The original of a magnitude that was converted: nothing between it and the present one is repeated. */
function firstOf(before: JsonObject[string] | undefined): JsonObject[string] | undefined {
  if (before === undefined || before === null) return undefined;
  if (typeof before !== "object" || Array.isArray(before)) return before;
  return before[CONVERTED_FROM] ?? before;
}

function withoutNoise(value: number): number {
  return Number(value.toPrecision(SIGNIFICANT_DIGITS));
}
