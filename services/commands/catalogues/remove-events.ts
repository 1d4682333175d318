import { Refusal } from "#contracts/errors.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/log/chunks.ts";
import { type EventPlace, placesOf } from "#projections/read/edits.ts";
import { touchedBounds } from "#services/domain/catalogues/catalogue.ts";
import { type ChangeTarget, totalsAfter } from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import type { Precondition } from "./catalogue-decision.ts";
import { editCatalogue, type PlanEdit } from "./edit-catalogue.ts";
import type { RevisionContent } from "./write-revision.ts";

/**
 * Removes events by one version; earlier versions keep them. Without events there is none.
 * @param eventIds in lower case; those given twice count once
 * @throws Refusal NOT_FOUND where one is not in the latest version: then none is removed; CONFLICT,
 * PRECONDITION_FAILED
 */
export async function removeEventsCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  eventIds: readonly string[],
  precondition: Precondition,
): Promise<{ version: number; removed: number }> {
  const wanted = [...new Set(eventIds)];
  const plan: PlanEdit<number> = async (base, write) => {
    const places = await placesOf(context.pool, base, wanted);
    requireAll(wanted, places);
    return write(removalOf(context, base, places));
  };
  const origin = { cause: "edit" } as const;
  const edited = await editCatalogue(context, command, catalogueId, precondition, origin, plan);
  const version = edited.outcome === "planned" ? edited.result : edited.version;
  return { version, removed: wanted.length };
}

/** @throws Refusal NOT_FOUND */
function requireAll(wanted: readonly string[], places: readonly EventPlace[]): void {
  const there = new Set(places.map(({ id }) => id));
  const missing = wanted.find((id) => !there.has(id));
  if (missing !== undefined) throw new Refusal("NOT_FOUND", `Event ${missing} not found`);
}

/** The content of a revision that removes events. */
function removalOf(
  context: CommandContext,
  base: ChangeTarget,
  places: readonly EventPlace[],
): RevisionContent {
  const writer = createChunkWriter();
  function* chunks(): Generator<EncodedChunk> {
    for (const { id } of places) {
      const chunk = writer.remove(id);
      if (chunk !== null) yield chunk;
    }
    const chunk = writer.finish();
    if (chunk !== null) yield chunk;
  }
  return {
    chunks: chunks(),
    totals: () =>
      totalsAfter(context, base, {
        ...writer.counts(),
        bounds: writer.bounds(),
        touched: [...new Set(places.flatMap((place) => touchedBounds(base.bounds, place)))],
        goneIds: places.map(({ id }) => id),
      }),
  };
}
