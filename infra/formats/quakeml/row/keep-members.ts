import { isConversionMethod } from "#contracts/seismic-event/converted-from.ts";
import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { decimalNumber } from "../../decimal-number.ts";
import {
  MAGNITUDE_AGENCY,
  MAGNITUDE_METHOD,
  ORIGIN_FLAGS,
  ORIGIN_IDS,
  UNCERTAINTY,
} from "../shared/extra-members.ts";
import type { MechanismShape } from "../shared/mechanism-shape.ts";
import { isPlainCircle, ORIGIN_UNCERTAINTY } from "../shared/origin-uncertainty.ts";
import { childOf, type Members, numberOf, textOf } from "./members.ts";
import { keep, type RowDraft } from "./row-draft.ts";

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
  origin: Members,
  magnitude: Members | undefined,
): void {
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
