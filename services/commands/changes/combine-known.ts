import type { ClientBase } from "pg";
import { unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { copyBulletin } from "#projections/queries/edits/copy-bulletin.ts";
import type { KnownWhole } from "#projections/queries/edits/read-known-events.ts";
import { changedNames } from "#services/domain/bulletin/bulletin-view.ts";
import { updatedEvent, withKnown } from "#services/domain/bulletin/updated-event.ts";
import { createBulletinView } from "../bulletins/bulletin-view.ts";
import { packedForEvent } from "../bulletins/packed-for-event.ts";
import type { Candidate } from "./candidate.ts";
import type { ChangeTarget } from "./revision-changes.ts";

type Given = Pick<Candidate, "record" | "bulletin">;

/**
 * A function that says what becomes of a known event that comes again. Only where it has a bulletin and
 * something differs, that is read.
 * @param connect opens a connection for the bulletins
 * @param nowMs the present, milliseconds since 1970
 */
export function createKnownCombiner(
  connect: () => Promise<ClientBase>,
  target: ChangeTarget,
  nowMs: number,
): (known: KnownWhole, given: Given) => Promise<Given> {
  const view = createBulletinView(nowMs);
  const at = new Date(nowMs).toISOString();

  return async ({ event, bulletin: kept }, given) => {
    if (kept === null || given.bulletin?.sha256 === kept.sha256) return given;
    const { id: eventId, ...record } = event;
    if (!given.bulletin) {
      const after = withKnown(record, given.record);
      if (changedNames(record, after).size === 0) return { record: after };
    }
    const bulletin = await copyBulletin(await connect(), target, eventId);
    const submitted = {
      record: given.record,
      bulletin: given.bulletin ? unpackBulletin(given.bulletin.pieces) : null,
    };
    const signature = { eventId, version: target.nextVersion, at };
    const combined = updatedEvent({ record, bulletin }, submitted, signature, view);
    if (combined.bulletin === submitted.bulletin) return given;
    return {
      record: combined.record,
      bulletin: combined.bulletin && (await packedForEvent(combined.bulletin)),
    };
  };
}
