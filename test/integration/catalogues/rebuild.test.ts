import { describe, expect, test } from "vitest";
import { makeHistory } from "./make-history.ts";
import { dumpReadModel, rebuildReadModel } from "./read-model.ts";
import { useCatalogues } from "./use-catalogues.ts";

describe.each(["postgres", "eventstoredb"] as const)("with the log in %s", (kind) => {
  const catalogues = useCatalogues(kind);

  test("a read model rebuilt from the log equals the live one, row for row", async () => {
    const { context, projectorPool } = catalogues;
    await makeHistory(catalogues);
    const live = await dumpReadModel(projectorPool);
    expect(live["catalogues"]).toHaveLength(12);
    expect(live["imports"]).toHaveLength(3);
    expect(live["seismic_events"]?.length).toBeGreaterThan(1_000);
    await rebuildReadModel(projectorPool, context.log);
    expect(await dumpReadModel(projectorPool)).toEqual(live);
  });
});
