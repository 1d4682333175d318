import type { QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { type Measure, measured } from "../../ui/text/digits.ts";
import { decimal, UNKNOWN } from "../../ui/text/format.ts";

/** A difference with its sign: "+0.12"; unknown as a dash. */
export function difference(value: number | null, digits: number): string {
  const text = decimal(value, digits);
  return value !== null && value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

/** "2.0 ± 0.2": a value as far as its uncertainty lets it be known; unknown as a dash. */
export function withMargin(
  value: number | undefined,
  sigma: number | undefined,
  measure: Measure,
): string {
  const [text, margin] = measured(value, sigma, measure);
  return margin === null ? text : `${text} ± ${margin}`;
}

/** Kilometres of metres; nothing of nothing. */
export function kilometres(metres: number | undefined): number | undefined {
  return metres === undefined ? undefined : metres / 1_000;
}

type Made = { readonly creationInfo?: QuakemlObject<"CreationInfo"> };

/** Whose something is: the agency, else the author; unknown as a dash. */
export function sourceOf({ creationInfo }: Made): string {
  return creationInfo?.agencyID ?? creationInfo?.author ?? UNKNOWN;
}

/** Whose something is, by all that is said of it: "WEL, A. Seismologist"; empty where nothing is. */
export function makersOf({ creationInfo }: Made): string {
  const { agencyID, author } = creationInfo ?? {};
  return [...new Set([agencyID, author])].filter(Boolean).join(", ");
}

/** The end of a resource's identifier: "smi:nz.org.geonet/LOCSAT" → "LOCSAT"; empty without one. */
export function lastOf(resource: string | undefined): string {
  return resource?.split(/[/#]/).findLast((part) => part !== "") ?? "";
}
