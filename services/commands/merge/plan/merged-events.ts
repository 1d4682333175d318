import { hash } from "node:crypto";
import type { ClientBase } from "pg";
import { Refusal } from "#contracts/errors.ts";
import { OWN_AUTHORITY } from "#contracts/seismic-event/own-public-id.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  BulletinTooLarge,
  type PackedBulletin,
  packBulletin,
} from "#infra/bulletins/packed-bulletin.ts";
import { readCopiedBulletin } from "#projections/read/copied-rows.ts";
import { haveBulletins } from "#projections/read/merges/sources.ts";
import { withConverted } from "#services/domain/bulletins/edits.ts";
import { type BulletinMember, unitedBulletin } from "#services/domain/bulletins/union.ts";
import { membersOf } from "#services/domain/merges/grouping/group-events.ts";
import { at } from "#services/domain/merges/grouping/origins.ts";
import {
  choosesByGroup,
  type MergedEvent,
  mergeGroup,
  withGroup,
} from "#services/domain/merges/solution/merge-group.ts";
import type { MergeRules } from "#services/domain/merges/solution/strategies.ts";
import { createBulletinView } from "../../bulletins/bulletin-view.ts";
import { completeGroups, type ReadMember } from "./complete-groups.ts";
import type { MergePlan } from "./merge-plan.ts";
import { createUniqueSourceIds } from "./unique-source-ids.ts";

/** An event of a merge, of the plan's group. */
export type MergedRow = {
  readonly group: number;
  readonly record: SeismicEventRecord;
  readonly bulletin: PackedBulletin | null;
};

/**
 * The merged events, each when the last event of its group was read.
 * @param client in the transaction of the plan
 * @throws Refusal MERGE_ERROR for a bulletin beyond the limits
 */
export async function* mergedEvents(
  client: ClientBase,
  plan: MergePlan,
): AsyncGenerator<MergedRow[]> {
  const withUniqueId = createUniqueSourceIds();
  const bulletinOf = createBulletinMerger(plan.rules);
  const withBulletins = await haveBulletins(client, plan.sources);
  for await (const groups of completeGroups(client, plan, () => true, withBulletins)) {
    yield groups.map(({ group, members }) => {
      const merged = mergeGroup(members, plan.rules);
      const row = at(membersOf(plan.grouping, group), merged.chosen);
      const record = withUniqueId(merged.record, plan.sourceIds.textOf(row));
      return { group, record, bulletin: bulletinOf(members, record, merged) };
    });
  }
}

const PSEUDONYM_DIGITS = 32;

/**
 * A function that gives the bulletin of a merged event, packed; null where no member has one.
 * @throws Refusal MERGE_ERROR for one beyond the limits
 */
function createBulletinMerger(rules: MergeRules) {
  // Times that the members' catalogues took are not looked at again.
  const view = createBulletinView(Number.MAX_SAFE_INTEGER);
  const isByGroup = choosesByGroup(rules);

  /** @param record the merged one, as the catalogue gets it */
  return (
    members: readonly ReadMember[],
    record: SeismicEventRecord,
    { givers, conversion }: Pick<MergedEvent, "givers" | "conversion">,
  ): PackedBulletin | null => {
    if (members.every(({ bulletin }) => bulletin === null)) return null;
    const provenance = record.source_events ?? [];
    const inOrder = provenance.map(({ event_id: id }) => wholeMember(members, id));
    const pseudonym = pseudonymOf(inOrder.map(({ eventId }) => eventId).join(" "));
    const row = {
      record: conversion === null ? record : withGroup(record, "magnitude", conversion.before),
      chosen: provenance.findIndex(({ chosen }) => chosen),
      ownOrigin: givers.location === null,
      givers: isByGroup ? givers : undefined,
      pseudonym,
    };
    const united = unitedBulletin(inOrder, row, view);
    if (united === null || conversion === null) return united && packed(united);
    const by = conversion.by.name;
    const publicID = `${OWN_AUTHORITY}magnitude/${pseudonym}/converted`;
    return packed(withConverted(united, { record, by, publicID, edit: null }, view));
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
