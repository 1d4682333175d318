import { createHash } from "node:crypto";
import { sql } from "slonik";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CHUNK_EVENT, NO_BOUNDS } from "#contracts/events/catalogues.ts";
import { catalogueStream, revisionStream } from "#contracts/events/log.ts";
import { createPresence } from "#infra/postgres/coordination.ts";
import { catalogueById } from "#projections/read/catalogues.ts";
import { SERVICE } from "#projections/read/rights.ts";
import {
  catalogueIdOf,
  deleteCatalogueCommand,
  loadSampleCommand,
  updateCatalogueCommand,
} from "#services/catalogues/commands.ts";
import type { Command, CommandContext } from "#services/context.ts";
import {
  commitRevision,
  createCatalogue,
  evolve,
  openRevision,
} from "#services/domain/catalogues/catalogue.ts";
import {
  addEventsCommand,
  changeEventCommand,
  removeEventCommand,
} from "#services/events/commands.ts";
import { abandonRevisionsOfTheDead } from "#services/revision.ts";
import { decideOnCatalogue } from "#services/streams.ts";
import {
  createdFrom,
  firstEventOf,
  generatedRecords,
  withFullDisk,
} from "../../support/catalogues/catalogue-scene.ts";
import {
  editOf,
  eventEditOf,
  newCommand,
  useCatalogues,
} from "../../support/catalogues/use-catalogues.ts";
import { additionsOf } from "./additions.ts";

const catalogues = useCatalogues();
const RECORDS = generatedRecords(5, 10);
const CUT_OFF = [CHUNK_EVENT, "RevisionCommitted"] as const;

const again = (command: Command): Command => ({ ...command, retried: true });
const shown = (id: string) => catalogueById(catalogues.context.pool, id, SERVICE);

async function rowsOf<T extends object>(query: string, values: unknown[] = []): Promise<T[]> {
  return (await catalogues.projectorPool.query<T>(query, values)).rows;
}
const catalogueCount = async () => (await rowsOf("select from read_model.catalogues")).length;
const logLength = async () => (await rowsOf("select from event_log.events")).length;

/** A catalogue with an event that can be changed. */
async function aCatalogue() {
  const { context } = catalogues;
  const id = await createdFrom(context, RECORDS);
  const eventId = await firstEventOf(context, id);
  const change = (depth: number, command = newCommand(), by: CommandContext = context) =>
    changeEventCommand(eventEditOf(by, id, eventId, command), { depth });
  return { id, eventId, change };
}

async function openFor(worker: string, catalogueId: string, command = newCommand()) {
  const { context } = catalogues;
  const { position } = await decideOnCatalogue(context, command, catalogueId, (state) =>
    openRevision(state, { cause: "edit", worker }),
  );
  await context.untilVisible("catalogues", position);
}

/** The context, of which appends wait: those of some, until they are let go. */
function heldUp(isHeld: (stream: string, type: string | undefined) => boolean, after = false) {
  const { context } = catalogues;
  const reached = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const append: CommandContext["log"]["append"] = async (stream, revision, events, options) => {
    const hold = async () => {
      if (!isHeld(stream, events[0]?.type)) return;
      reached.resolve();
      await letGo.promise;
    };
    if (!after) await hold();
    const appended = await context.log.append(stream, revision, events, options);
    if (after) await hold();
    return appended;
  };
  const log = { ...context.log, append };
  return { context: { ...context, log }, reached: reached.promise, letGo: letGo.resolve };
}

describe("what is given up", () => {
  test("a creation that is cut off is as if it had never been, and its retry creates it once", async () => {
    const { context } = catalogues;
    const count = await catalogueCount();
    const command = newCommand();
    for (const type of CUT_OFF) {
      const failing = createdFrom(withFullDisk(context, type), RECORDS, again(command));
      await expect(failing, type).rejects.toThrow("the disk is full");
      await context.untilVisible("catalogues", await context.log.head());
      expect(await catalogueCount(), type).toBe(count);
    }
    const id = await createdFrom(context, RECORDS, again(command));
    expect(await shown(id)).toMatchObject({ version: 1, event_count: 10 });
    expect(await catalogueCount()).toBe(count + 1);
  });

  test("an edit that is cut off leaves the version and can be made again, under another number", async () => {
    const { id, change } = await aCatalogue();
    for (const [i, type] of CUT_OFF.entries()) {
      const failing = change(800 + i, newCommand(), withFullDisk(catalogues.context, type));
      await expect(failing, type).rejects.toThrow("the disk is full");
      expect((await shown(id))?.version, type).toBe(1 + 2 * i);
      expect((await change(800 + i)).version, type).toBe(3 + 2 * i);
    }
  });

  test("a sample whose loading was cut off can be loaded, once", async () => {
    const { context } = catalogues;
    const load = (writing: CommandContext) =>
      loadSampleCommand(context, { actor: "system" }, (command) =>
        createdFrom(writing, RECORDS, command),
      );
    for (const type of CUT_OFF) {
      await expect(load(withFullDisk(context, type))).rejects.toThrow("the disk is full");
    }
    expect(await shown(await load(context))).toMatchObject({ event_count: 10 });
    await expect(load(context)).rejects.toMatchObject({ code: "CONFLICT" });
  });

  test("the sweep abandons what a dead process left open, and nothing of a living one", async () => {
    const { context, presence } = catalogues;
    const { id, change } = await aCatalogue();
    const other = await createPresence(catalogues.databaseUrl);
    await openFor(other.key, id);
    expect(await abandonRevisionsOfTheDead(context, presence)).toBe(0);
    await expect(change(3)).rejects.toMatchObject({ code: "CONFLICT" });
    await other.close();
    await expect.poll(() => abandonRevisionsOfTheDead(context, presence)).toBe(1);
    const commit = { revision: 2, chunks: 0, added: 0, updated: 0, removed: 0, bounds: NO_BOUNDS };
    const late = decideOnCatalogue(context, newCommand(), id, (state) =>
      commitRevision(state, { ...commit, contentHash: "" }),
    );
    await expect(late).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect((await change(3)).version).toBe(3);
  });

  test("a creation whose process seemed gone while it wrote is a fault of the service, and made by the same command again", async () => {
    const { context } = catalogues;
    const frozen = await createPresence(catalogues.databaseUrl);
    const survivor = await createPresence(catalogues.databaseUrl);
    const command = newCommand();
    const held = heldUp((stream) => stream !== catalogueStream(catalogueIdOf(command)), true);
    const creating = createdFrom({ ...held.context, worker: frozen.key }, RECORDS, command);
    const outcome = expect(creating).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await held.reached;
    await frozen.close();
    await expect.poll(() => abandonRevisionsOfTheDead(context, survivor)).toBe(1);
    held.letGo();
    await outcome;
    await survivor.close();
    const id = await createdFrom(context, RECORDS, again(command));
    expect(id).toBe(catalogueIdOf(command, 1));
    expect(await shown(id)).toMatchObject({ event_count: 10 });
  });

  test("deleting does not wait for an open revision, which can then not be committed", async () => {
    const { context, presence } = catalogues;
    const { id } = await aCatalogue();
    await openFor(presence.key, id);
    await deleteCatalogueCommand(context, newCommand(), id, null);
    expect(await shown(id)).toBeNull();
    expect(await context.log.read(revisionStream(id, 2), 0, 10)).toEqual([]);
  });
});

describe("a command that is sent again after a crash that lost its answer", () => {
  /** The second run writes nothing. */
  async function twice<T>(run: (command: Command) => Promise<T>): Promise<void> {
    const command = newCommand();
    const first = await run(command);
    const before = await logLength();
    expect(await run(again(command))).toEqual(first);
    expect(await logLength()).toBe(before);
  }

  test("finds a creation, a removed event and a deletion done, and answers as the first run", async () => {
    const { context } = catalogues;
    const count = await catalogueCount();
    await twice((command) => createdFrom(context, RECORDS, command));
    expect(await catalogueCount()).toBe(count + 1);
    const { id, eventId } = await aCatalogue();
    await twice((command) => removeEventCommand(eventEditOf(context, id, eventId, command)));
    await twice((command) => deleteCatalogueCommand(context, command, id, null));
    expect(await shown(id)).toBeNull();
  });

  test("does nothing over what came after", async () => {
    const { id, change } = await aCatalogue();
    const rename = (command: Command, name: string) =>
      updateCatalogueCommand(catalogues.context, command, id, { name }, null);
    const [renaming, changing] = [newCommand(), newCommand()];
    await rename(renaming, "first");
    await rename(newCommand(), "second");
    await rename(again(renaming), "first");
    const first = await change(33, changing);
    await change(44);
    expect(await change(33, again(changing))).toEqual(first);
    expect(await shown(id)).toMatchObject({ name: "second", version: 3 });
  });

  test("cannot commit beside its retry where its first run lives on", async () => {
    const count = await catalogueCount();
    const command = newCommand();
    // Cut off between its opening and its chunks, as by a lost connection.
    const held = heldUp((_, type) => type === CHUNK_EVENT);
    const refused = expect(createdFrom(held.context, RECORDS, command)).rejects.toThrow();
    await held.reached;
    const id = await createdFrom(catalogues.context, RECORDS, again(command));
    held.letGo();
    await refused;
    expect((await shown(id))?.event_count).toBe(10);
    expect(await catalogueCount()).toBe(count + 1);
  });

  test("takes back what the first run had left open, and makes a creation anew under another id", async () => {
    const { context, presence } = catalogues;
    const { id, change } = await aCatalogue();
    const editing = newCommand();
    await openFor(presence.key, id, editing);
    expect((await change(5, again(editing))).version).toBe(3);
    const [command, count] = [newCommand(), await catalogueCount()];
    const catalogueId = catalogueIdOf(command);
    await decideOnCatalogue(context, command, catalogueId, (absent) => {
      const form = { catalogueId, name: "x", isPublic: false, createdBy: command.actor };
      const created = createCatalogue(absent, form);
      const opening = { cause: "created", worker: presence.key } as const;
      return [...created, ...openRevision(created.reduce(evolve, absent), opening)];
    });
    expect(await createdFrom(context, RECORDS, again(command))).not.toBe(catalogueId);
    expect(await shown(catalogueId)).toBeNull();
    expect(await catalogueCount()).toBe(count + 1);
  });
});

describe("an edit", () => {
  type Row = { readonly id: string; readonly region: string | null; readonly depth: number | null };
  const eventsOf = (id: string) =>
    rowsOf<Row>(
      `select event_id as id, region, depth, magnitude from read_model.seismic_events
       join read_model.catalogues c on c.key = catalogue_key
       where c.id = $1 and revision_to is null order by event_id`,
      [id],
    );

  test("takes effect beside others at once, or is told of the conflict", async () => {
    const { context } = catalogues;
    const { id } = await aCatalogue();
    const events = await eventsOf(id);
    const outcomes = await Promise.allSettled(
      events.map((event) => {
        const region = { region: `was ${event.id}` };
        return changeEventCommand(eventEditOf(context, id, event.id), region);
      }),
    );
    const after = new Map((await eventsOf(id)).map((event) => [event.id, event.region]));
    for (const [i, outcome] of outcomes.entries()) {
      const { id: eventId = "", region = null } = events[i] ?? {};
      const isDone = outcome.status === "fulfilled";
      if (!isDone) expect(outcome.reason).toMatchObject({ code: "CONFLICT" });
      expect(after.get(eventId)).toBe(isDone ? `was ${eventId}` : region);
    }
    expect(outcomes.some(({ status }) => status === "fulfilled")).toBe(true);
  });

  test("compares events again where the catalogue was changed before their first chunk", async () => {
    const { context, databaseUrl } = catalogues;
    const records = RECORDS.slice(0, 3);
    const id = await createdFrom(context, records);
    const eventId = await firstEventOf(context, id);
    const further = { ...generatedRecords(6, 1)[0], source_id: "further" } as (typeof records)[0];
    const changed = records.map((record) => ({ ...record, depth: 12 }));
    const additions = additionsOf(databaseUrl, [...changed, further], true);
    const versions: unknown[] = [];
    const against: typeof additions.against = async (target, use) => {
      versions.push(target?.version);
      if (versions.length === 1) {
        await removeEventCommand(eventEditOf(context, id, eventId));
      }
      return additions.against(target, use);
    };
    const added = await addEventsCommand(editOf(context, id), { against });
    expect(versions).toEqual([1, 2]);
    // The one that was removed meanwhile is new again.
    expect(added).toMatchObject({ version: 3, newEvents: 2, updatedEvents: 2, skippedEvents: 0 });
    const depths = (await eventsOf(id)).map(({ depth }) => depth);
    expect(depths.filter((depth) => depth === 12)).toHaveLength(3);
  });

  test("gives its version the hash of the hash before it and of its chunks", async () => {
    const { context } = catalogues;
    const id = await createdFrom(context, generatedRecords(4, 2_100));
    const eventId = await firstEventOf(context, id);
    await changeEventCommand(eventEditOf(context, id, eventId), { depth: 7 });
    let hash = "";
    for (const version of [1, 2]) {
      const chunks = await context.log.read(revisionStream(id, version), 0, 1000);
      expect(chunks).toHaveLength(3 - version);
      const next = createHash("sha256").update(hash);
      for (const { data } of chunks) {
        next.update(
          createHash("sha256")
            .update(data as Uint8Array)
            .digest("hex"),
        );
      }
      hash = next.digest("hex");
    }
    const stored = await context.pool.oneFirst(sql.type(z.object({ content_hash: z.string() }))`
      select v.content_hash from read_model.catalogue_versions v
      join read_model.catalogues c on c.key = v.catalogue_key
      where c.id = ${id}::uuid and v.version = 2`);
    expect(stored).toBe(hash);
  });
});
