import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { decimal, UNKNOWN } from "../../ui/text/format.ts";

/** A difference with its sign: "+0.12"; unknown as a dash. */
export function difference(value: number | null, digits: number): string {
  const text = decimal(value, digits);
  return value !== null && value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

/** " ± 0.12"; empty where it is not known. */
export function plusMinus(value: number | undefined, digits: number): string {
  return value === undefined ? "" : ` ± ${decimal(value, digits)}`;
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
