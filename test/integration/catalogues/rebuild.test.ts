import { expect, test } from "vitest";
import { makeHistory } from "./make-history.ts";
import { dumpReadModel, rebuildReadModel } from "./read-model.ts";
import { useCatalogues } from "./use-catalogues.ts";

const catalogues = useCatalogues();

test("a read model rebuilt from the log equals the live one, row for row", async () => {
  const { context, projectorPool } = catalogues;
  await makeHistory(catalogues);
  const live = await dumpReadModel(projectorPool);
  expect(live["catalogues"]).toHaveLength(10);
  expect(live["seismic_events"]?.length).toBeGreaterThan(1_000);
  await rebuildReadModel(projectorPool, context.log);
  expect(await dumpReadModel(projectorPool)).toEqual(live);
});
