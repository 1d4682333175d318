import type { AttributeName } from "./attributes.ts";
import { normaliseName } from "./input-names.ts";

export type Implied = readonly (readonly [AttributeName, string])[];

/** Values of names that are none of ours, which say something that is. */
const IMPLIED: Readonly<Record<string, Readonly<Record<string, Implied>>>> = {
  // USGS's word for an event's review.
  status: {
    automatic: [["evaluation_mode", "automatic"]],
    reviewed: [
      ["evaluation_mode", "manual"],
      ["evaluation_status", "reviewed"],
    ],
    deleted: [["evaluation_status", "rejected"]],
  },
  // ISC's flag of a depth that was held fixed.
  depfix: { true: [["depth_type", "operator assigned"]] },
};

const NOTHING: Implied = [];

/** Whether values of this name may say what other attributes are. */
export function mayImply(name: string): boolean {
  return Object.hasOwn(IMPLIED, normaliseName(name));
}

/** The attributes that a value says, where the event does not give them otherwise. */
export function impliedBy(name: string, value: unknown): Implied {
  const values = IMPLIED[normaliseName(name)];
  const key = String(value).trim().toLowerCase();
  return values !== undefined && Object.hasOwn(values, key) ? (values[key] ?? NOTHING) : NOTHING;
}
