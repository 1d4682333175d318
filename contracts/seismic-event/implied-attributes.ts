import type { AttributeName } from "./attributes.ts";
import { normaliseName } from "./input-names.ts";

export type Implied = readonly (readonly [AttributeName, string])[];

/** Values of foreign names that imply values of our attributes. */
const IMPLIED: Readonly<Record<string, Readonly<Record<string, Implied>>>> = {
  // USGS's review status.
  status: {
    automatic: [["evaluation_mode", "automatic"]],
    reviewed: [
      ["evaluation_mode", "manual"],
      ["evaluation_status", "reviewed"],
    ],
    deleted: [["evaluation_status", "rejected"]],
  },
  // GeoNet's API; its other words for quality say nothing that is certain.
  quality: {
    automatic: [["evaluation_mode", "automatic"]],
    preliminary: [["evaluation_status", "preliminary"]],
    deleted: [["evaluation_status", "rejected"]],
  },
  // ISC's flag for a fixed depth.
  depfix: { true: [["depth_type", "operator assigned"]] },
};

const NOTHING: Implied = [];

/** Whether values under this name may imply attributes. */
export function mayImply(name: string): boolean {
  return Object.hasOwn(IMPLIED, normaliseName(name));
}

/** The attributes that a value implies, unless the event states them. */
export function impliedBy(name: string, value: unknown): Implied {
  const values = IMPLIED[normaliseName(name)];
  const key = String(value).trim().toLowerCase();
  return values !== undefined && Object.hasOwn(values, key) ? (values[key] ?? NOTHING) : NOTHING;
}
