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
 * The row of an event with a bulletin: the bulletin's view, with the id and `extra` of the row beside it.
 * A text says why there is none.
 */
export function rowBeside(
  row: JsonObject,
  bulletin: JsonObject,
  warn: (message: string) => void,
): { readonly row: JsonObject; readonly bulletin: Bulletin } | string {
  const fault = bulletinFault(bulletin);
  if (fault !== null) return `bulletin.${fault.path}: ${fault.message}`;
  const checked = bulletin as unknown as Bulletin;
  const view = rowOfBulletin(checked, warn);
  if (typeof view === "string") return view;
  const { source_id, extra } = row;
  const own = { ...(source_id != null && { source_id }), ...(extra != null && { extra }) };
  return { row: { ...view, ...own }, bulletin: checked };
}
