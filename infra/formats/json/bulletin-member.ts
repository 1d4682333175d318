import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { bulletinFault } from "#contracts/bulletin/check-bulletin.ts";
import { isJsonObject, type JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { rowOfBulletin } from "../quakeml/row-of-bulletin.ts";

/** What answers and exports tell of an event's bulletin beside the bulletin itself. */
const SUMMARY = ["bulletin_sha256", "bulletin_counts"] as const;

/** An event's members without those of its bulletin, and the bulletin where it has one. */
export type WithoutBulletin = {
  readonly members: JsonObject;
  readonly bulletin: JsonObject | null;
};

/** Hash and counts are left out: those of what is read follow from it. */
export function takeBulletin(members: JsonObject): WithoutBulletin {
  const { bulletin = null } = members;
  const isHeld = isJsonObject(bulletin);
  if (!isHeld && !SUMMARY.some((name) => name in members)) return { members, bulletin: null };
  const { bulletin_sha256: _, bulletin_counts: __, ...others } = members;
  if (!isHeld) return { members: others, bulletin: null };
  const { bulletin: ___, ...rest } = others;
  return { members: rest, bulletin };
}

/**
 * The row of an event with a bulletin, which it has as a member: what the file says beside the bulletin, and
 * the bulletin's view for the rest. Whoever takes the row decides whether the two agree, as of other
 * submitted events. A text says why there is none.
 */
export function rowBeside(
  { members, bulletin }: { readonly members: JsonObject; readonly bulletin: JsonObject },
  row: JsonObject,
  warn: (message: string) => void,
): JsonObject | string {
  const fault = bulletinFault(bulletin);
  if (fault !== null) return `bulletin.${fault.path}: ${fault.message}`;
  const view = rowOfBulletin(bulletin as unknown as Bulletin, warn);
  if (typeof view === "string") return view;
  // Rows have some members that the file does not have, as null.
  const said = Object.entries(row).filter(([name, value]) => value !== null || name in members);
  return { ...view, ...Object.fromEntries(said), bulletin };
}
