import { expect, test } from "vitest";
import { createChunkWriter } from "#infra/event-log/chunk-writer.ts";
import { createCatalogueCommand } from "#services/commands/catalogues/create-catalogue.ts";
import { changeEventCommand, removeEventCommand } from "#services/commands/catalogues/change-event.ts";
import { validateEvent } from "#services/domain/seismic-event/validate-event.ts";
import { eventsBySourceId, presentRevision } from "#projections/queries/edit-queries.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { newCommand, useCatalogues } from "./use-catalogues.ts";

const catalogues = useCatalogues();

test("creates, changes, removes", async () => {
  const { context } = catalogues;
  const writer = createChunkWriter();
  const chunks = [];
  for (const raw of generateEvents(1, 5000)) {
    const r = validateEvent(raw, { nowMs: Date.now() });
    if (!r.ok) throw new Error(JSON.stringify(r));
    const c = writer.add(r.record);
    if (c) chunks.push(c);
  }
  const last = writer.finish();
  if (last) chunks.push(last);
  const t0 = performance.now();
  const id = await createCatalogueCommand(context, newCommand(), { name: "x", isPublic: false, cause: "created" }, { chunks, added: 5000, updated: 0, removed: 0, bounds: writer.bounds() });
  console.log(performance.now() - t0);
  const base = await presentRevision(context.pool, id);
  expect(base?.version).toBe(1);
  const found = await eventsBySourceId(context.pool, base!, ["eq0000000", "eq0000001"]);
  console.log(found.get("eq0000000"));
  const ev = found.get("eq0000000")!;
  const t1 = performance.now();
  const r = await changeEventCommand(context, newCommand(), id, ev.id, { mag: 5.5, note: "hello" }, null);
  console.log(performance.now() - t1, r);
  const r2 = await removeEventCommand(context, newCommand(), id, ev.id, null);
  console.log(r2);
});
