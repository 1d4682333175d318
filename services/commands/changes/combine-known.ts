import type { ClientBase } from "pg";
import { unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { copyBulletin } from "#projections/queries/edits/copy-bulletin.ts";
import type { KnownWhole } from "#projections/queries/edits/read-known-events.ts";
import { changedNames } from "#services/domain/bulletin/bulletin-view.ts";
import { updatedEvent, withKnown } from "#services/domain/bulletin/updated-event.ts";
import { lastUpdate } from "#services/domain/import/last-update.ts";
import { createBulletinView } from "../bulletins/bulletin-view.ts";
import { packedForEvent } from "../bulletins/packed-for-event.ts";
import type { Candidate } from "./candidate.ts";
import type { ChangeTarget } from "./revision-changes.ts";

type Given = Pick<Candidate, "record" | "bulletin">;

export type CombinerOptions = {
  /** The present, milliseconds since 1970. */
  readonly nowMs: number;
  /** As of `UpdateOptions`. */
  readonly areMessages: boolean;
};

/**
 * A function that says what becomes of a known event that comes again. Only where it has a bulletin and
 * something differs, that is read.
 * @param connect opens a connection for the bulletins
 */
export function createKnownCombiner(
  connect: () => Promise<ClientBase>,
  target: ChangeTarget,
  { nowMs, areMessages }: CombinerOptions,
): (known: KnownWhole, given: Given) => Promise<Given> {
  const view = createBulletinView(nowMs);
  const at = new Date(nowMs).toISOString();

  return async ({ event, bulletin: kept }, given) => {
    const { id: eventId, ...record } = event;
    if (kept === null) return areMessages ? { record: withKnown(record, given.record) } : given;
    if (given.bulletin?.sha256 === kept.sha256) return given;
    if (!given.bulletin) {
      const after = withKnown(record, given.record);
      if (changedNames(record, after).size === 0) return { record: after };
    }
    const bulletin = await copyBulletin(await connect(), target, eventId);
    const submitted = {
      record: given.record,
      bulletin: given.bulletin ? unpackBulletin(given.bulletin.pieces) : null,
    };
    const ofSource = areMessages && { at: lastUpdate(given.record.extra) ?? at, isOfSource: true };
    const signature = { eventId, version: target.nextVersion, at, ...ofSource };
    const combined = updatedEvent({ record, bulletin }, submitted, signature, view);
    if (combined.bulletin === submitted.bulletin) return given;
    return {
      record: combined.record,
      bulletin: combined.bulletin && (await packedForEvent(combined.bulletin)),
    };
  };
}
