import { Refusal } from "#contracts/errors.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { eventById } from "#projections/read/edits.ts";
import { versionOf } from "#services/domain/versions.ts";
import type { VersionHistories } from "#services/versions/version-histories.ts";
import { sameRecord } from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import type { Precondition } from "./catalogue-decision.ts";
import { changeOf, eventAt, requireFreeIds } from "./change-event.ts";
import { editCatalogue, type PlanEdit } from "./edit-catalogue.ts";

type RestoreEvent = {
  readonly catalogueId: string;
  readonly eventId: string;
  /** That which has the event as it is to be. */
  readonly version: number;
  readonly precondition: Precondition;
};

/**
 * Makes one event as it was in an earlier version, with its bulletin or without one; a removed event comes
 * back under its id. Where it is so already there is no version.
 * @returns the event, and the version that shows it so
 * @throws Refusal NOT_FOUND, PRECONDITION_FAILED, CONFLICT also where another event has its ids now
 */
export async function restoreEventCommand(
  {
    context,
    versionHistories,
  }: { readonly context: CommandContext; readonly versionHistories: VersionHistories },
  command: Command,
  { catalogueId, eventId, version: restores, precondition }: RestoreEvent,
): Promise<{ event: SeismicEvent; version: number }> {
  const history = await versionHistories.read(catalogueId);
  if (!history || !versionOf(history, restores)) {
    throw new Refusal("NOT_FOUND", "There is no such version");
  }
  const { pool } = context;
  const plan: PlanEdit<number> = async (base, write) => {
    const wanted = await eventById(pool, { ...base, version: restores }, eventId);
    if (wanted === null) throw new Refusal("NOT_FOUND", "The version does not have the event");
    const present = await eventById(pool, base, eventId);
    const { id, ...after } = wanted.event;
    const before = present?.event ?? null;
    const isSame = present?.bulletin?.sha256 === wanted.bulletin?.sha256;
    if (before !== null && isSame && sameRecord(before, after)) return base.version;
    await requireFreeIds(context, base, before, after);
    return write(changeOf(context, base, { id, before, after, bulletin: wanted.bulletin }));
  };
  const origin = { cause: "edit", restores } as const;
  const edited = await editCatalogue(context, command, catalogueId, precondition, origin, plan);
  const version = edited.outcome === "planned" ? edited.result : edited.version;
  return { event: await eventAt(context, catalogueId, version, eventId), version };
}
