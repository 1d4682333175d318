import { expect, test } from "vitest";
import { CHUNK_EVENT } from "#contracts/domain-events/catalogue-events.ts";
import { catalogueById } from "#projections/queries/catalogues/catalogue-queries.ts";
import { presentRevision } from "#projections/queries/edits/edit-queries.ts";
import { readKnownEvents } from "#projections/queries/edits/read-known-events.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { decideOnCatalogue } from "#services/commands/catalogues/catalogue-decision.ts";
import {
  deleteCatalogueCommand,
  updateCatalogueCommand,
} from "#services/commands/catalogues/change-catalogue.ts";
import {
  changeEventCommand,
  removeEventCommand,
} from "#services/commands/catalogues/change-event.ts";
import { catalogueIdOf } from "#services/commands/catalogues/create-catalogue.ts";
import type { Command, CommandContext } from "#services/commands/context.ts";
import { createCatalogue, openRevision } from "#services/domain/catalogue/decide.ts";
import { evolve } from "#services/domain/catalogue/state.ts";
import { createdFrom, generatedRecords, withFullDisk } from "./catalogue-scene.ts";
import { newCommand, useCatalogues } from "./use-catalogues.ts";

const catalogues = useCatalogues();
const records = generatedRecords(5, 20);
const again = (command: Command): Command => ({ ...command, retried: true });

async function logLength(): Promise<number> {
  const { rows } = await catalogues.projectorPool.query<{ count: number }>(
    "select count(*)::int as count from event_log.events",
  );
  return rows[0]?.count ?? 0;
}

async function catalogueCount(): Promise<number> {
  const { rowCount } = await catalogues.projectorPool.query("select 1 from read_model.catalogues");
  return rowCount ?? 0;
}

async function sampleEvent(catalogueId: string): Promise<string> {
  const base = await presentRevision(catalogues.context.pool, catalogueId);
  const ids = { sourceId: "eq0000000", publicId: null };
  const events = base && (await readKnownEvents(catalogues.context.pool, base, [ids]));
  return events?.[0]?.id ?? "";
}

/** Runs a command, then the same one again as after a crash that lost its answer. */
async function twice<T>(run: (command: Command) => Promise<T>): Promise<[T, T]> {
  const command = newCommand();
  const first = await run(command);
  const before = await logLength();
  const second = await run(again(command));
  expect(await logLength()).toBe(before);
  return [first, second];
}

test("a catalogue that a command has created is not created again by its retry", async () => {
  const count = await catalogueCount();
  const [first, second] = await twice((command) =>
    createdFrom(catalogues.context, records, command),
  );
  expect(second).toBe(first);
  expect(await catalogueCount()).toBe(count + 1);
});

test("the retry of a creation that was cut off creates it, and leaves nothing of the first run", async () => {
  const { context } = catalogues;
  const count = await catalogueCount();
  const command = newCommand();
  for (const type of [CHUNK_EVENT, "RevisionCommitted"] as const) {
    const failing = createdFrom(withFullDisk(context, type), records, again(command));
    await expect(failing).rejects.toThrow("the disk is full");
  }
  const id = await createdFrom(context, records, again(command));
  expect(await catalogueById(context.pool, id, SERVICE)).toMatchObject({
    version: 1,
    event_count: 20,
  });
  expect(await catalogueCount()).toBe(count + 1);
});

test("a run that lives on beside its retry cannot commit", async () => {
  const { context } = catalogues;
  const count = await catalogueCount();
  const command = newCommand();
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: opened, resolve: tellOpened } = Promise.withResolvers<void>();
  // Cut off between its opening and its chunks, as by a lost connection.
  const cutOff: CommandContext = {
    ...context,
    log: {
      ...context.log,
      append: async (stream, revision, events, options) => {
        if (events.some(({ type }) => type === CHUNK_EVENT)) {
          tellOpened();
          await held;
        }
        return context.log.append(stream, revision, events, options);
      },
    },
  };
  const first = createdFrom(cutOff, records, command);
  const refused = expect(first).rejects.toThrow();
  await opened;
  const id = await createdFrom(context, records, again(command));
  letGo();
  await refused;
  expect((await catalogueById(context.pool, id, SERVICE))?.event_count).toBe(20);
  expect(await catalogueCount()).toBe(count + 1);
});

test("a rename is not done over a later one by its retry", async () => {
  const { context } = catalogues;
  const id = await createdFrom(context, records);
  const rename = (command: Command, name: string) =>
    updateCatalogueCommand(context, command, id, { name }, null);
  const command = newCommand();
  await rename(command, "first");
  await rename(newCommand(), "second");
  await rename(again(command), "first");
  expect((await catalogueById(context.pool, id, SERVICE))?.name).toBe("second");
});

test("the retry of a deletion finds it done", async () => {
  const { context } = catalogues;
  const id = await createdFrom(context, records);
  await twice((command) => deleteCatalogueCommand(context, command, id, null));
  expect(await catalogueById(context.pool, id, SERVICE)).toBeNull();
});

test("the retry of a changed event answers as the first run, whatever came after", async () => {
  const { context } = catalogues;
  const id = await createdFrom(context, records);
  const eventId = await sampleEvent(id);
  const change = (command: Command, depth: number) =>
    changeEventCommand(context, command, id, eventId, { depth }, null);
  const command = newCommand();
  const first = await change(command, 33);
  await change(newCommand(), 44);
  expect(await change(again(command), 33)).toEqual(first);
  expect((await catalogueById(context.pool, id, SERVICE))?.version).toBe(3);
});

test("the retry of a removed event answers the version that removed it", async () => {
  const { context } = catalogues;
  const id = await createdFrom(context, records);
  const eventId = await sampleEvent(id);
  const [first, second] = await twice((command) =>
    removeEventCommand(context, command, id, eventId, null),
  );
  expect(second).toEqual(first);
});

test("the retry of an edit takes back what the first run had left open", async () => {
  const { context, presence } = catalogues;
  const id = await createdFrom(context, records);
  const eventId = await sampleEvent(id);
  const command = newCommand();
  await decideOnCatalogue(context, command, id, (state) =>
    openRevision(state, { cause: "edit", worker: presence.key }),
  );
  const { version } = await changeEventCommand(
    context,
    again(command),
    id,
    eventId,
    { depth: 5 },
    null,
  );
  expect(version).toBe(3);
});

test("a creation whose first run died before its chunks is made anew under another id", async () => {
  const { context, presence } = catalogues;
  const command = newCommand();
  const count = await catalogueCount();
  const catalogueId = catalogueIdOf(command);
  await decideOnCatalogue(context, command, catalogueId, (absent) => {
    const form = { catalogueId, name: "x", isPublic: false, createdBy: command.actor };
    const created = createCatalogue(absent, form);
    const opening = { cause: "created", worker: presence.key } as const;
    return [...created, ...openRevision(created.reduce(evolve, absent), opening)];
  });
  const id = await createdFrom(context, records, again(command));
  expect(id).not.toBe(catalogueId);
  expect(await catalogueById(context.pool, catalogueId, SERVICE)).toBeNull();
  expect(await catalogueCount()).toBe(count + 1);
});
