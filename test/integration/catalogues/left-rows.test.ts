import { expect, test } from "vitest";
import { cataloguesProjection } from "#projections/catalogues/catalogues-projection.ts";
import { KEYED_TABLES } from "#projections/catalogues/keyed-tables.ts";
import { inPieces, removeLeftRows } from "#projections/engine/left-rows.ts";
import { LIVE_SCHEMA } from "#projections/engine/read-model-schema.ts";
import { deleteCatalogueCommand } from "#services/commands/catalogues/change-catalogue.ts";
import { createdFrom, generatedRecords } from "./catalogue-scene.ts";
import { dumpReadModel, rebuildReadModel } from "./read-model.ts";
import { newCommand, useCatalogues } from "./use-catalogues.ts";

const catalogues = useCatalogues("postgres");
const { signal } = new AbortController();

function remove(id: string): Promise<void> {
  return deleteCatalogueCommand(catalogues.context, newCommand(), id, null);
}

/** The keys of a table's rows that no catalogue has. */
async function keysLeft(table: string): Promise<unknown[]> {
  const { rows } = await catalogues.projectorPool.query(
    `select distinct catalogue_key from read_model.${table}
     where catalogue_key not in (select key from read_model.catalogues)`,
  );
  return rows;
}

async function countOf(id: string): Promise<number> {
  const { rows } = await catalogues.projectorPool.query(
    `select count(*)::integer as count from read_model.seismic_events e
     join read_model.catalogues c on c.key = e.catalogue_key where c.id = $1`,
    [id],
  );
  return rows[0].count;
}

test("what deleted catalogues leave is removed from every table, and nothing else", async () => {
  const { context, projectorPool } = catalogues;
  const [first, kept, last] = [
    await createdFrom(context, generatedRecords(1, 3_000)),
    await createdFrom(context, generatedRecords(2, 200)),
    await createdFrom(context, generatedRecords(3, 300)),
  ];
  await remove(first);
  await remove(last);
  // As a merge and bulletins of the deleted would have left them.
  await projectorPool.query(
    `insert into read_model.merge_members values (gen_random_uuid(), 999, gen_random_uuid(), 1);
     insert into read_model.bulletins values (gen_random_uuid(), 999, 1, 0, 0, '');
     insert into read_model.bulletin_magnitudes values (gen_random_uuid(), 999, 1, 0, 5, true)`,
  );
  await removeLeftRows(inPieces(projectorPool, LIVE_SCHEMA), cataloguesProjection.tables, signal);
  // The projector may be about it too.
  for (const { name } of KEYED_TABLES) await expect.poll(() => keysLeft(name)).toEqual([]);
  expect(await countOf(kept)).toBe(200);
});

test("the key of a deleted catalogue is never another one's, and a rebuild gives the same keys", async () => {
  const { context, projectorPool } = catalogues;
  const keyOf = async (id: string) =>
    (await projectorPool.query("select key from read_model.catalogues where id = $1", [id])).rows;
  const earlier = await createdFrom(context, generatedRecords(4, 500));
  const key = await keyOf(earlier);
  await remove(earlier);
  const later = await createdFrom(context, generatedRecords(5, 70));
  const laterKey = await keyOf(later);
  expect(laterKey[0].key).toBeGreaterThan(key[0].key);
  expect(await countOf(later)).toBe(70);
  await remove(await createdFrom(context, generatedRecords(6, 5)));
  await rebuildReadModel(projectorPool, context.log);
  expect(await keyOf(later)).toEqual(laterKey);
});

test("while catalogues come and go, rows are removed of none that is there", async () => {
  const { context, projectorPool } = catalogues;
  const stopping = new AbortController();
  const removing = (async () => {
    while (!stopping.signal.aborted)
      await removeLeftRows(
        inPieces(projectorPool, LIVE_SCHEMA),
        cataloguesProjection.tables,
        signal,
      );
  })();
  for (let i = 0; i < 15; i += 1) {
    const made = await Promise.all(
      [1, 2].map((n) => createdFrom(context, generatedRecords(10 * i + n, 400))),
    );
    await remove(made[i % 2] ?? "");
    if (i % 3 === 0) await remove(made[1 - (i % 2)] ?? "");
  }
  stopping.abort();
  await removing;
  const live = await dumpReadModel(projectorPool);
  expect(live["seismic_events"]?.length).toBeGreaterThan(10 * 400);
  await rebuildReadModel(projectorPool, context.log);
  expect(await dumpReadModel(projectorPool)).toEqual(live);
});
