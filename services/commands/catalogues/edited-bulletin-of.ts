import type { WrittenBulletin } from "#infra/event-log/chunk-writer.ts";
import { readPieces } from "#projections/queries/bulletins/read-bulletin.ts";
import type { FoundEvent } from "#projections/queries/edits/edit-queries.ts";
import { changedNames } from "#services/domain/bulletin/bulletin-view.ts";
import type { RowEdit } from "#services/domain/bulletin/row-edit.ts";
import type { MakeChange } from "../bulletins/change-stored.ts";
import type { CommandContext } from "../context.ts";

/**
 * The bulletin of an event after an edit of its row: another one, or the same where the edit is not of
 * what a bulletin says. Null for an event without one.
 * @throws Refusal VALIDATION_ERROR for one beyond the limits
 */
export async function editedBulletinOf(
  { pool, now }: Pick<CommandContext, "pool" | "now">,
  catalogueId: string,
  version: number,
  { event, bulletin: kept }: FoundEvent,
  edit: Omit<RowEdit, "at">,
  makeChange: MakeChange,
): Promise<WrittenBulletin | null> {
  if (kept === null || changedNames(edit.before, edit.after).size === 0) return kept;
  const source = await readPieces(pool, catalogueId, event.id, version);
  if (source === null) throw new Error(`the bulletin of event ${event.id} is not there`);
  const at = now();
  const change = { kind: "edit", edit: { ...edit, at: at.toISOString() } } as const;
  const changed = await makeChange({ source, change, nowMs: at.getTime() });
  return changed?.packed ?? kept;
}
