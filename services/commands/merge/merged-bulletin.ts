import { hash } from "node:crypto";
import { Refusal } from "#contracts/errors.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { type PackedBulletin, packBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { BulletinTooLarge } from "#infra/bulletins/seal-bulletin.ts";
import { readCopiedBulletin } from "#projections/queries/events/copied-event.ts";
import {
  type BulletinMember,
  unitedBulletin,
} from "#services/domain/bulletin/union/united-bulletin.ts";
import type { MergeRules } from "#services/domain/merge/merge-group.ts";
import { createBulletinView } from "../bulletins/bulletin-view.ts";
import type { ReadMember } from "./complete-groups.ts";

const PSEUDONYM_DIGITS = 32;

/**
 * A function that gives the bulletin of a merged event, packed; null where no member has one.
 * @throws Refusal MERGE_ERROR for one beyond the limits
 */
export function createBulletinMerger({ strategy }: Pick<MergeRules, "strategy">) {
  // Times that the members' catalogues took are not looked at again.
  const view = createBulletinView(Number.MAX_SAFE_INTEGER);

  return (members: readonly ReadMember[], record: SeismicEventRecord): PackedBulletin | null => {
    if (members.every(({ bulletin }) => bulletin === null)) return null;
    const provenance = record.source_events ?? [];
    const inOrder = provenance.map(({ event_id: id }) => wholeMember(members, id));
    const row = {
      record,
      chosen: provenance.findIndex(({ chosen }) => chosen),
      ownOrigin: strategy === "average" && members.length > 1,
      pseudonym: pseudonymOf(inOrder.map(({ eventId }) => eventId).join(" ")),
    };
    const bulletin = unitedBulletin(inOrder, row, view);
    return bulletin === null ? null : packed(bulletin);
  };
}

function wholeMember(members: readonly ReadMember[], id: string): BulletinMember {
  const member = members.find(({ eventId }) => eventId === id);
  if (member === undefined) throw new RangeError(`no member ${id}`);
  const { record, eventId, bulletin } = member;
  return {
    record,
    eventId,
    bulletin: readCopiedBulletin(bulletin),
    pseudonym: pseudonymOf(eventId),
  };
}

/** The same for the same id, which it does not tell. */
function pseudonymOf(id: string): string {
  return hash("sha256", id).slice(0, PSEUDONYM_DIGITS);
}

function packed(bulletin: Parameters<typeof packBulletin>[0]): PackedBulletin {
  try {
    return packBulletin(bulletin);
  } catch (cause) {
    if (!(cause instanceof BulletinTooLarge)) throw cause;
    throw new Refusal("MERGE_ERROR", `The bulletin of a merged event ${cause.message}`, { cause });
  }
}
