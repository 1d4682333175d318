import { expect } from "vitest";
import { columnsOf } from "#contracts/seismic-event/event-columns.ts";
import { addEventsCommand } from "#services/commands/catalogues/add-events.ts";
import { deleteCatalogueCommand } from "#services/commands/catalogues/delete-catalogue.ts";
import { updateCatalogueCommand } from "#services/commands/catalogues/update-catalogue.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { mergeCataloguesCommand } from "#services/commands/merge/merge-catalogues.ts";
import { createMerger } from "#services/commands/merge/merger.ts";
import { randomOf } from "../../support/generate-catalogue.ts";
import { createdFrom, generatedRecords, withFullDisk } from "./catalogue-scene.ts";
import { newCommand, type TestCatalogues } from "./use-catalogues.ts";

const MERGE = {
  config: { timeThreshold: 5, distanceThreshold: 20, mergeStrategy: "average", priority: "" },
} as const;

/** A merge of two of the catalogues, and one given up when it was to be committed. */
async function mergeSome(
  catalogues: TestCatalogues,
  by: CommandContext,
  ids: readonly string[],
): Promise<void> {
  const merger = createMerger(catalogues);
  const sources = ids.map((id, i) => ({ id, source: `source ${i}` }));
  const merge = (context: CommandContext) =>
    mergeCataloguesCommand(
      { context, merger },
      newCommand(),
      { name: "merged", sources, ...MERGE },
      { signal: new AbortController().signal, onProgress: () => {} },
    );
  const { eventCount } = await merge(catalogues.context);
  expect(eventCount).toBeGreaterThan(100);
  await expect(merge(by)).rejects.toThrow("the disk is full");
  await merger.close();
}

/** Catalogues with edits, merges, edits and creations given up half-way, new names and deletions. */
export async function makeHistory(catalogues: TestCatalogues): Promise<void> {
  const { context } = catalogues;
  const fullDisk = withFullDisk(context, "RevisionCommitted");
  const random = randomOf(11);
  const ids: string[] = [];
  const any = () => Math.floor(random() * ids.length);
  for (let i = 0; i < 12; i += 1) {
    ids.push(await createdFrom(context, generatedRecords(i, 50 + Math.floor(random() * 3_000))));
    const id = ids[any()] ?? "";
    const add = (by: CommandContext, seed: number) => {
      const events = columnsOf(generatedRecords(seed, 200));
      return addEventsCommand(by, newCommand(), id, { events, updateExisting: true }, null);
    };
    await expect(add(fullDisk, 100 + i)).rejects.toThrow("the disk is full");
    await add(context, 50 + i);
    await updateCatalogueCommand(context, newCommand(), id, { name: `catalogue ${i}` }, null);
    if (i % 4 !== 3) continue;
    await expect(createdFrom(fullDisk, generatedRecords(i, 100))).rejects.toThrow("full");
    await deleteCatalogueCommand(context, newCommand(), ids.splice(any(), 1)[0] ?? "", null);
  }
  await mergeSome(catalogues, fullDisk, ids.slice(0, 2));
  // Once the last change is visible, so is all before it, and the projector stands still.
  await updateCatalogueCommand(context, newCommand(), ids[0] ?? "", { name: "the last" }, null);
}
