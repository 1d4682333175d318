import { beforeEach, expect, test } from "vitest";
import { eventId } from "#contracts/seismic-event/ids.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/log/chunks.ts";
import { cataloguesProjection } from "#projections/catalogues/projection.ts";
import {
  inPieces,
  removeLeftRows,
  undoGivenUp,
  type Within,
} from "#projections/engine/left-rows.ts";
import { LIVE_SCHEMA } from "#projections/engine/projection.ts";
import { holds } from "#projections/rebuild/rebuild.ts";
import { deleteCatalogueCommand } from "#services/catalogues/commands.ts";
import { editCatalogue } from "#services/revision.ts";
import { createdFrom, generatedRecords } from "../../support/catalogues/catalogue-scene.ts";
import { editOf, newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { testLogKind } from "../../support/service-log.ts";
import { useRebuild } from "../rebuild/use-rebuild.ts";

const STATEMENT_TIMEOUT_MS = 1_000;
const catalogues = useCatalogues(testLogKind(), { statementTimeoutMs: STATEMENT_TIMEOUT_MS });
const scene = useRebuild(catalogues);
const { tables } = cataloguesProjection;

/** More than are undone with the event that gives them up, and where rows are slow than a statement has time for. */
const MANY = 1_100;

/** The first rows that are undone or removed; where they are slow, fewer follow. */
const FIRST_PIECE = 250;
const SLOW_PIECE = 50;

/** What becomes of changes of rows: as ever, each takes a while, or none is made, as if others held the rows. */
type Rows = "free" | "slow" | "held";

async function make(rows: Rows): Promise<void> {
  await scene.pool.query("update test_rows set are = $1", [rows]);
}

beforeEach(async () => {
  await scene.pool.query(`
    create table if not exists test_rows as select 'free' as are;
    create or replace function test_rows() returns trigger language plpgsql as $$
    begin
      case (select are from public.test_rows)
        when 'held' then return null;
        when 'slow' then perform pg_sleep(0.002);
        else
      end case;
      return coalesce(new, old);
    end $$;
    create or replace trigger test_rows before update or delete on read_model.seismic_events
      for each row execute function test_rows();
    create table if not exists test_pieces (rows int);
    create or replace function test_pieces() returns trigger language plpgsql as $$
    begin
      insert into public.test_pieces select count(*) from changed;
      return null;
    end $$;
    create or replace trigger test_updates after update on read_model.seismic_events
      referencing old table as changed for each statement execute function test_pieces();
    create or replace trigger test_deletions after delete on read_model.seismic_events
      referencing old table as changed for each statement execute function test_pieces()`);
  await make("free");
});

/** How many rows each statement has changed since this was last asked, in order of their number. */
async function pieces(): Promise<number[]> {
  const { rows } = await scene.pool.query<{ rows: number }>("delete from test_pieces returning *");
  return rows.map((piece) => piece.rows).toSorted((a, b) => b - a);
}

/** A catalogue, all of whose events are changed and as many added by a revision that is given up once its rows are there. */
async function givenUp(seed: number, rows: Rows) {
  const { context } = catalogues;
  const id = await createdFrom(context, generatedRecords(seed, MANY));
  const before = await rowsAt(id);
  const writer = createChunkWriter();
  const chunks: (EncodedChunk | null)[] = [];
  for (const [i, record] of generatedRecords(MANY, MANY).entries()) {
    chunks.push(writer.update(eventId(id, 1, i), { ...record, depth: 1 }), writer.add(record));
  }
  chunks.push(writer.finish());
  const written = chunks.filter((chunk) => chunk !== null);
  const totals = async () => {
    await context.untilVisible("catalogues", await context.log.head());
    await make(rows);
    throw new Error("given up");
  };
  const editing = editCatalogue(editOf(context, id), { cause: "edit" }, (_, write) =>
    write({ chunks: written, totals }),
  );
  await expect(editing).rejects.toThrow("given up");
  await context.untilVisible("catalogues", await context.log.head());
  return { id, before };
}

/** Removes an event. @returns the version */
async function edit(id: string): Promise<number> {
  const writer = createChunkWriter();
  const chunks = [writer.remove(eventId(id, 1, 0)) ?? writer.finish()].filter((c) => c !== null);
  const totals = () => ({ ...writer.counts(), bounds: writer.bounds() });
  const { context } = catalogues;
  let version = 0;
  await editCatalogue(editOf(context, id), { cause: "edit" }, async (_, write) => {
    version = await write({ chunks, totals });
  });
  return version;
}

async function undone(): Promise<void> {
  const left = () => scene.pool.query("select from read_model.abandoned_revisions");
  await expect.poll(async () => (await left()).rowCount, { timeout: 60_000 }).toBe(0);
}

/** The rows of version 1. */
async function rowsAt(id: string): Promise<unknown[]> {
  const { rows } = await scene.pool.query(
    `select e.event_id, e.revision_from, e.depth from read_model.seismic_events e
     join read_model.catalogues c on c.key = e.catalogue_key
     where c.id = $1 and revision_from <= 1 and (revision_to is null or revision_to > 1)
     order by e.event_id`,
    [id],
  );
  return rows;
}

test("a revision of more rows than a statement has time for is given up, and nobody waits for it", async () => {
  const { id, before } = await givenUp(1, "slow");
  const other = await createdFrom(catalogues.context, generatedRecords(2, 10));
  expect(await edit(other)).toBe(2);
  await pieces();
  await undone();
  const changed = await pieces();
  expect(changed[0]).toBeLessThanOrEqual(FIRST_PIECE);
  // One for what it wrote, one for what it ended.
  expect(changed[2]).toBeLessThanOrEqual(SLOW_PIECE);
  await make("free");
  expect(await rowsAt(id)).toEqual(before);
  expect(await edit(id)).toBe(3);
});

test("what a deleted catalogue leaves is removed some rows at a time, and goes on where that broke off", async () => {
  const count = 2 * FIRST_PIECE + 1;
  const id = await createdFrom(catalogues.context, generatedRecords(7, count));
  await make("slow");
  await pieces();
  await deleteCatalogueCommand(catalogues.context, newCommand(), id, null);
  const within = inPieces(scene.pool, LIVE_SCHEMA);
  const { signal } = new AbortController();
  let steps = 0;
  const dying: Within = (work) => {
    steps += 1;
    return steps > 3 ? Promise.reject(new Error("killed")) : within(work);
  };
  await expect(removeLeftRows(dying, tables, signal)).rejects.toThrow("killed");
  await removeLeftRows(within, tables, signal);
  const left =
    "select from read_model.seismic_events where catalogue_key not in (select key from read_model.catalogues)";
  // The projector may be about it too.
  await expect.poll(async () => (await scene.pool.query(left)).rowCount).toBe(0);
  const removed = await pieces();
  expect(removed.reduce((sum, rows) => sum + rows)).toBe(count);
  expect(removed[0]).toBeLessThanOrEqual(FIRST_PIECE);
});

test("while a revision is undone its catalogue is read as before, cannot be changed, and verifies; a rebuild takes it over", async () => {
  const gone = await givenUp(3, "held");
  await deleteCatalogueCommand(catalogues.context, newCommand(), gone.id, null);
  await make("free");
  const { id, before } = await givenUp(4, "held");
  expect(await rowsAt(id)).toEqual(before);
  await expect(edit(id)).rejects.toMatchObject({ code: "CONFLICT" });
  const verification = await scene.verify();
  expect(verification.tables.filter(({ differing }) => differing > 0)).toEqual([]);
  expect(holds(verification)).toBe(true);
  await scene.rebuild();
  expect(await rowsAt(id)).toEqual(before);
  await undone();
  expect(await edit(id)).toBe(3);
});

test("two processes that undo the same, one of them killed in between, leave what the log says", async () => {
  const { id, before } = await givenUp(6, "held");
  await make("free");
  const within = inPieces(scene.pool, LIVE_SCHEMA);
  let steps = 0;
  const dying: Within = (work) => {
    steps += 1;
    return steps > 4 ? Promise.reject(new Error("killed")) : within(work);
  };
  const [killed] = await Promise.allSettled([
    undoGivenUp(dying, tables, {}),
    undoGivenUp(within, tables, {}),
  ]);
  expect(killed.status).toBe("rejected");
  await undone();
  expect(await rowsAt(id)).toEqual(before);
  expect(await edit(id)).toBe(3);
  expect(holds(await scene.verify())).toBe(true);
});
