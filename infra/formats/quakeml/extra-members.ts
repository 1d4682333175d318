import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { decimalNumber } from "../decimal-number.ts";
import { childOf, textOf, type XmlNode } from "../xml/xml-shape.ts";
import type { MechanismShape } from "./mechanism-shape.ts";
import { isPlainCircle, ORIGIN_UNCERTAINTY } from "./origin-uncertainty.ts";
import { keep, type RowDraft } from "./row-draft.ts";

/** Members without an attribute are kept under `extra`; the writer puts them back. */

/** Members of an origin, by their names under `extra`. */
export const ORIGIN_FLAGS = { time_fixed: "timeFixed", epicenter_fixed: "epicenterFixed" } as const;
export const ORIGIN_IDS = { earth_model_id: "earthModelID", method_id: "methodID" } as const;

/** A magnitude's `methodID`, and the `agencyID` in its `creationInfo`. */
export const MAGNITUDE_METHOD = "magnitude_method_id";
export const MAGNITUDE_AGENCY = "magnitude_agency_id";

export const UNCERTAINTY = "origin_uncertainty";

/** Matches, in JSON, the names under `extra` that the writer puts back in their places. */
export const ANY_MEMBER = new RegExp(
  `"(?:${[
    ...Object.keys(ORIGIN_FLAGS),
    ...Object.keys(ORIGIN_IDS),
    MAGNITUDE_METHOD,
    MAGNITUDE_AGENCY,
    UNCERTAINTY,
  ].join("|")})"`,
);

/** The values of xs:boolean. */
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** Keeps members of an origin and the magnitude that have no attribute, including malformed text. */
export function keepMembers(
  draft: RowDraft,
  origin: XmlNode,
  magnitude: XmlNode | undefined,
): void {
  for (const [name, member] of Object.entries(ORIGIN_FLAGS)) {
    const text = textOf(origin, member);
    if (text !== undefined) keep(draft, name, FLAGS.get(text) ?? text);
  }
  for (const [name, member] of Object.entries(ORIGIN_IDS)) keepText(draft, name, origin, member);
  keepUncertainty(draft, childOf(origin, "originUncertainty"));
  if (magnitude === undefined) return;
  keepText(draft, MAGNITUDE_METHOD, magnitude, "methodID");
  keepText(draft, MAGNITUDE_AGENCY, childOf(magnitude, "creationInfo"), "agencyID");
}

function keepText(draft: RowDraft, name: string, node: XmlNode | undefined, member: string): void {
  const text = textOf(node, member);
  if (text !== undefined) keep(draft, name, text);
}

function keepUncertainty(draft: RowDraft, node: XmlNode | undefined): void {
  if (node === undefined) return;
  const uncertainty = membersOf(node, ORIGIN_UNCERTAINTY);
  if (Object.keys(uncertainty).length === 0 || isPlainCircle(uncertainty)) return;
  keep(draft, UNCERTAINTY, uncertainty);
}

function membersOf(node: XmlNode, shape: MechanismShape): JsonObject {
  const members: JsonObject = {};
  for (const [member, kind] of Object.entries(shape)) {
    if (typeof kind === "object" && "members" in kind) {
      const child = childOf(node, member);
      if (child !== undefined) members[member] = membersOf(child, kind.members);
    } else {
      const text = textOf(node, member);
      if (text !== undefined) members[member] = kind === "real" ? numberOrText(text) : text;
    }
  }
  return members;
}

function numberOrText(text: string): JsonValue {
  const value = decimalNumber(text, 0);
  return Number.isFinite(value) ? value : text;
}
