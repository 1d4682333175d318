import { expect, test } from "vitest";
import { CHUNK_EVENT } from "#contracts/domain-events/catalogue-events.ts";
import { catalogueById } from "#projections/queries/catalogues/catalogue-queries.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { loadSampleCommand } from "#services/commands/catalogues/load-sample.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { createdFrom, generatedRecords, withFullDisk } from "./catalogue-scene.ts";
import { useCatalogues } from "./use-catalogues.ts";

const catalogues = useCatalogues();

test("a sample whose loading was cut off can be loaded, once", async () => {
  const { context } = catalogues;
  const load = (writing: CommandContext) =>
    loadSampleCommand(context, { actor: "system" }, (command) =>
      createdFrom(writing, generatedRecords(1, 10), command),
    );
  for (const cutOff of [CHUNK_EVENT, "RevisionCommitted"] as const) {
    await expect(load(withFullDisk(context, cutOff))).rejects.toThrow("the disk is full");
  }
  const id = await load(context);
  expect(await catalogueById(context.pool, id, SERVICE)).toMatchObject({ event_count: 10 });
  await expect(load(context)).rejects.toMatchObject({ code: "CONFLICT" });
});
