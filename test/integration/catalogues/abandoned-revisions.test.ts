import { expect, test } from "vitest";
import { CHUNK_EVENT, NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import { catalogueStream, revisionStream } from "#contracts/names.ts";
import { createPresence } from "#infra/postgres/presence.ts";
import { catalogueById } from "#projections/queries/catalogues/catalogue-queries.ts";
import { presentRevision } from "#projections/queries/edits/edit-queries.ts";
import { readKnownEvents } from "#projections/queries/edits/read-known-events.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { abandonRevisionsOfTheDead } from "#services/commands/catalogues/abandon-revisions.ts";
import { decideOnCatalogue } from "#services/commands/catalogues/catalogue-decision.ts";
import { deleteCatalogueCommand } from "#services/commands/catalogues/change-catalogue.ts";
import { changeEventCommand } from "#services/commands/catalogues/change-event.ts";
import { catalogueIdOf } from "#services/commands/catalogues/create-catalogue.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { commitRevision, openRevision } from "#services/domain/catalogue/decide.ts";
import { createdFrom, generatedRecords, withFullDisk } from "./catalogue-scene.ts";
import { newCommand, useCatalogues } from "./use-catalogues.ts";

const catalogues = useCatalogues();

async function openFor(worker: string, catalogueId: string): Promise<void> {
  const { context } = catalogues;
  const { position } = await decideOnCatalogue(context, newCommand(), catalogueId, (state) =>
    openRevision(state, { cause: "edit", worker }),
  );
  await context.untilVisible("catalogues", position);
}

async function firstEventId(catalogueId: string): Promise<string> {
  const { pool } = catalogues.context;
  const base = await presentRevision(pool, catalogueId);
  const ids = { sourceId: "eq0000000", publicId: null };
  const events = base && (await readKnownEvents(pool, base, [ids]));
  return events?.[0]?.id ?? "";
}

test("a catalogue whose events cannot be written is as if it had never been", async () => {
  const { context } = catalogues;
  const command = newCommand();
  const id = catalogueIdOf(command);
  const failing = createdFrom(withFullDisk(context, CHUNK_EVENT), generatedRecords(1, 10), command);
  await expect(failing).rejects.toThrow("the disk is full");
  const decisions = await context.log.read(catalogueStream(id), 0, 10);
  await context.untilVisible("catalogues", decisions.at(-1)?.position ?? null);
  const { rowCount } = await catalogues.projectorPool.query("select 1 from read_model.catalogues");
  expect(rowCount).toBe(0);
});

test.each([CHUNK_EVENT, "RevisionCommitted"] as const)(
  "an edit whose %s cannot be written leaves the version and can be made again",
  async (type) => {
    const { context } = catalogues;
    const id = await createdFrom(context, generatedRecords(2, 10));
    const eventId = await firstEventId(id);
    const change = (by: CommandContext) =>
      changeEventCommand(by, newCommand(), id, eventId, { depth: 3 }, null);
    await expect(change(withFullDisk(context, type))).rejects.toThrow("the disk is full");
    expect((await catalogueById(context.pool, id, SERVICE))?.version).toBe(1);
    // The number of the abandoned revision is not used again.
    expect((await change(context)).version).toBe(3);
  },
);

test("the sweep abandons what a dead process left open, and nothing of a living one", async () => {
  const { context, presence } = catalogues;
  const id = await createdFrom(context, generatedRecords(3, 10));
  const eventId = await firstEventId(id);
  const other = await createPresence(catalogues.databaseUrl);
  await openFor(other.key, id);
  const change = () => changeEventCommand(context, newCommand(), id, eventId, { depth: 3 }, null);

  expect(await abandonRevisionsOfTheDead(context, presence)).toBe(0);
  await expect(change()).rejects.toMatchObject({ code: "CONFLICT" });

  await other.close();
  await expect.poll(() => abandonRevisionsOfTheDead(context, presence)).toBe(1);
  const commit = { revision: 2, chunks: 0, added: 0, updated: 0, removed: 0, bounds: NO_BOUNDS };
  const late = decideOnCatalogue(context, newCommand(), id, (state) =>
    commitRevision(state, { ...commit, contentHash: "" }),
  );
  await expect(late).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect((await change()).version).toBe(3);
});

test("a creation whose process seemed gone while it wrote is a fault of the service, and made by the same command again", async () => {
  const { context } = catalogues;
  const frozen = await createPresence(catalogues.databaseUrl);
  const survivor = await createPresence(catalogues.databaseUrl);
  const command = newCommand();
  const stopped = Promise.withResolvers<void>();
  const thawed = Promise.withResolvers<void>();
  const log: CommandContext["log"] = {
    ...context.log,
    async append(stream, ...rest) {
      const appended = await context.log.append(stream, ...rest);
      if (stream !== catalogueStream(catalogueIdOf(command))) {
        stopped.resolve();
        await thawed.promise;
      }
      return appended;
    },
  };
  const records = generatedRecords(5, 10);
  const creating = createdFrom({ ...context, worker: frozen.key, log }, records, command);
  const outcome = expect(creating).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await stopped.promise;
  await frozen.close();
  await expect.poll(() => abandonRevisionsOfTheDead(context, survivor)).toBe(1);
  thawed.resolve();
  await outcome;
  await survivor.close();

  const id = await createdFrom(context, records, { ...command, retried: true });
  expect(id).toBe(catalogueIdOf(command, 1));
  expect(await catalogueById(context.pool, id, SERVICE)).toMatchObject({ event_count: 10 });
});

test("deleting does not wait for an open revision, which can then not be committed", async () => {
  const { context, presence } = catalogues;
  const id = await createdFrom(context, generatedRecords(4, 10));
  await openFor(presence.key, id);
  await deleteCatalogueCommand(context, newCommand(), id, null);
  expect(await catalogueById(context.pool, id, SERVICE)).toBeNull();
  expect(await context.log.read(revisionStream(id, 2), 0, 10)).toEqual([]);
});
