import { setImmediate } from "node:timers/promises";
import type { Pool } from "pg";
import { expect, test } from "vitest";
import { columnsOf } from "#contracts/seismic-event/event-columns.ts";
import { START } from "#infra/event-log/event-log.ts";
import { applyBatch } from "#projections/apply-batch.ts";
import { cataloguesProjection } from "#projections/catalogues/catalogues-projection.ts";
import { addEventsCommand } from "#services/commands/catalogues/add-events.ts";
import { untilVisible } from "#services/commands/catalogues/catalogue-decision.ts";
import { deleteCatalogueCommand } from "#services/commands/catalogues/delete-catalogue.ts";
import { updateCatalogueCommand } from "#services/commands/catalogues/update-catalogue.ts";
import { randomOf } from "../../support/generate-catalogue.ts";
import { createdFrom, generatedRecords } from "./catalogue-scene.ts";
import { newCommand, useCatalogues } from "./use-catalogues.ts";

const catalogues = useCatalogues();

const TABLES = {
  catalogues: "key",
  catalogue_versions: "catalogue_key, version",
  seismic_events: "catalogue_key, event_id, revision_from",
};

async function dump(pool: Pool): Promise<Record<string, unknown[]>> {
  const entries = await Promise.all(
    Object.entries(TABLES).map(async ([table, order]) => {
      const { rows } = await pool.query(`select * from read_model.${table} order by ${order}`);
      return [table, rows] as const;
    }),
  );
  return Object.fromEntries(entries);
}

/** The read model anew from the start of the log, while the live projector stands still. */
async function rebuild(): Promise<void> {
  const { context, projectorPool } = catalogues;
  const head = await context.log.head();
  const tables = Object.keys(TABLES).map((table) => `read_model.${table}`);
  await projectorPool.query(`truncate ${tables.join(", ")}`);
  await projectorPool.query("delete from read_model.checkpoints where projection = 'catalogues'");
  const stopping = new AbortController();
  const { types } = cataloguesProjection;
  let after = START;
  for await (const batch of context.log.subscribe({ after, types, signal: stopping.signal })) {
    await applyBatch(projectorPool, cataloguesProjection, after, batch);
    after = batch.position;
    if (after >= head) stopping.abort();
    await setImmediate();
  }
}

test("a read model rebuilt from the log equals the live one, row for row", async () => {
  const { context, projectorPool } = catalogues;
  const random = randomOf(11);
  const ids: string[] = [];
  for (let i = 0; i < 12; i += 1) {
    ids.push(await createdFrom(context, generatedRecords(i, 50 + Math.floor(random() * 3_000))));
    const id = ids[Math.floor(random() * ids.length)] ?? "";
    const events = columnsOf(generatedRecords(50 + i, 200));
    await addEventsCommand(context, newCommand(), id, { events, updateExisting: true }, null);
    await updateCatalogueCommand(context, newCommand(), id, { name: `catalogue ${i}` }, null);
    if (i % 4 === 3) {
      const gone = ids.splice(Math.floor(random() * ids.length), 1)[0] ?? "";
      await deleteCatalogueCommand(context, newCommand(), gone, null);
    }
  }
  await untilVisible(context, await context.log.head());
  const live = await dump(projectorPool);
  expect(live["seismic_events"]?.length).toBeGreaterThan(1_000);
  await rebuild();
  expect(await dump(projectorPool)).toEqual(live);
});
