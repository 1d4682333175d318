import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { leftMerges } from "#projections/read/merges/merge.ts";
import { deleteCatalogueCommand } from "#services/catalogues/commands.ts";
import { forgetDeleted } from "#services/merges/commands.ts";
import { createdFrom, generatedRecords } from "../../support/catalogues/catalogue-scene.ts";
import { newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";

const catalogues = useCatalogues();

test("of deleted merges nothing is kept; of one that the read model has not, but the log, all is", async () => {
  const { context, projectorPool } = catalogues;
  const kept = await createdFrom(context, generatedRecords(6, 1));
  const gone = await createdFrom(context, generatedRecords(6, 1));
  await deleteCatalogueCommand(context, newCommand(), gone, null);
  for (const id of [kept, gone]) {
    await projectorPool.query("insert into operations.merge_follows (catalogue_id) values ($1)", [
      id,
    ]);
    await projectorPool.query("insert into operations.merge_pair_sets values ($1, 'settings')", [
      id,
    ]);
    await projectorPool.query(
      "insert into operations.merge_review (catalogue_id, one, other) values ($1, $2, $3)",
      [id, randomUUID(), randomUUID()],
    );
  }
  await projectorPool.query("delete from read_model.catalogues");
  expect([...(await leftMerges(context.pool))].sort()).toEqual([kept, gone].sort());
  await forgetDeleted(context);
  expect(await leftMerges(context.pool)).toEqual([kept]);
});
