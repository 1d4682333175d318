/**
 * What events leave to be removed or undone piece by piece, since there may be millions of rows: in the transaction of
 * the event they would hold up all later ones.
 */

import type { Pool } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { RecordedEvent } from "#infra/log/event-log.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import {
  type GivenUp,
  inReadModel,
  type Owner,
  type ProjectedTable,
  type Transaction,
} from "./projection.ts";

/**
 * Rows that are looked up at a time, before some thousands of them at most are changed in each transaction. A look-up of
 * 100,000 has taken more than a second on a busy machine.
 */
const LOOKED_UP = 25_000;
const FIRST_PIECE = 250;
const MOST_OF_PIECE = 5_000;
/** A longer transaction would delay every reader of the log, since readers wait for the oldest one. */
const PIECE_MS = 100;

/** Where work is done: each time in a transaction of its own, or always in the same one. */
export type Within = <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;

/** @returns each piece in a transaction of its own */
export function inPieces(pool: Pool, schema: string): Within {
  return (work) => inReadModel(pool, schema, work);
}

/** Removes the rows without an owner. */
export async function removeLeftRows(
  within: Within,
  tables: readonly ProjectedTable[],
  signal: AbortSignal,
): Promise<void> {
  for (const { name, owner } of tables) {
    if (owner === undefined) continue;
    for (const key of await within((transaction) => keysLeft(transaction, name, owner))) {
      const where = sql.fragment`${column(owner.by)} = ${key} and not ${hasOwner(owner)}`;
      await change(within, { name, where }, { signal });
    }
  }
}

/** An event can be applied only when what was given up of its owner is undone; nothing of it is applied yet. */
export class NotUndone extends Error {
  override readonly name = "NotUndone";
  readonly event: RecordedEvent;
  readonly key: number;

  constructor(event: RecordedEvent, key: number) {
    super(`${event.stream} waits until what was given up is undone`);
    this.event = event;
    this.key = key;
  }
}

/** How much is undone. */
export type Extent = {
  readonly signal?: AbortSignal;
  /** Of one owner; by default of all. */
  readonly key?: number;
  /** Of fewer rows in each table; without it of any number. */
  readonly most?: number;
};

/**
 * Undoes what revisions have done that were given up, and forgets those that are undone.
 * @returns whether all are
 */
export async function undoGivenUp(
  within: Within,
  tables: readonly ProjectedTable[],
  extent: Extent,
): Promise<boolean> {
  let isDone = true;
  const [first] = tables.flatMap(({ givenUp = [] }) => givenUp);
  if (first === undefined) return isDone;
  const { table, by, revision: number } = first;
  const ofOwner =
    extent.key === undefined ? sql.fragment`true` : sql.fragment`${column(by)} = ${extent.key}`;
  const revisions = await within((transaction) =>
    transaction.any(sql.type(z.object({ key: z.int(), revision: z.int() }))`
      select ${column(by)} as key, ${column(number)} as revision
      from ${sql.identifier([table])} t where ${ofOwner}`),
  );
  for (const { key, revision } of revisions) {
    let isUndone = true;
    for (const { name, givenUp } of tables) {
      if (givenUp === undefined) continue;
      const { from, to } = givenUp;
      const of = (done: string) => sql.fragment`
        ${column(by)} = ${key} and ${column(done)} = ${revision} and ${isGivenUp(givenUp, done)}`;
      isUndone = (await change(within, { name, where: of(from) }, extent)) && isUndone;
      if (to === undefined) continue;
      const set = sql.fragment`${sql.identifier([to])} = null`;
      isUndone = (await change(within, { name, where: of(to), set }, extent)) && isUndone;
    }
    isDone = isUndone && isDone;
    if (!isUndone) continue;
    await within(({ run }) =>
      run(sql.unsafe`
        delete from ${sql.identifier([table])} t
        where ${column(by)} = ${key} and ${column(number)} = ${revision}`),
    );
  }
  return isDone;
}

/** Whether a row, as `t`, has its owner. */
export function hasOwner({ table, key, by }: Owner, schema?: string): FragmentSqlToken {
  return sql.fragment`exists (
    select from ${tableOf(table, schema)} o where ${sql.identifier(["o", key])} = ${column(by)})`;
}

/** Whether the revision that a row, as `t`, has in the column `done` was given up. */
export function isGivenUp({ table, by, revision }: GivenUp, done: string, schema?: string) {
  return sql.fragment`exists (
    select from ${tableOf(table, schema)} a
    where ${sql.identifier(["a", by])} = ${column(by)}
      and ${sql.identifier(["a", revision])} = ${column(done)})`;
}

function tableOf(name: string, schema?: string): FragmentSqlToken {
  return sql.fragment`${sql.identifier(schema === undefined ? [name] : [schema, name])}`;
}

function column(name: string): FragmentSqlToken {
  return sql.fragment`${sql.identifier(["t", name])}`;
}

/** The keys in a table that no owner has; each key of the table is found by one look into an index. */
async function keysLeft({ any }: Pick<Transaction, "any">, name: string, owner: Owner) {
  const table = sql.identifier([name]);
  const by = sql.identifier([owner.by]);
  const rows = await any(sql.type(z.object({ key: z.int() }))`
    with recursive keys (${by}) as (
      (select ${by} from ${table} order by ${by} limit 1)
      union all
      select (select ${by} from ${table} where ${by} > keys.${by} order by ${by} limit 1)
      from keys where keys.${by} is not null
    )
    select ${by} as key from keys t where ${by} is not null and not ${hasOwner(owner)}`);
  return rows.map(({ key }) => key);
}

type Change = {
  readonly name: string;
  /** Which rows, as `t`. Each piece asks it again: a rebuild may have put another table in place of the one looked up. */
  readonly where: FragmentSqlToken;
  /** What is set in them; without it they are removed. */
  readonly set?: FragmentSqlToken;
};

/** @returns whether no such row is left; not where others hold some, which are left for later */
async function change(within: Within, rows: Change, { signal, most }: Extent): Promise<boolean> {
  const limit = most ?? LOOKED_UP;
  for (;;) {
    const places = await within((transaction) => placesOf(transaction, rows, limit));
    if (places.length === most) return false;
    const changed = await changePieces(within, rows, places, signal);
    if (changed === places.length && changed < limit) return true;
    if (changed < places.length) return false;
  }
}

async function placesOf({ client }: Transaction, { name, where }: Change, limit: number) {
  const places: string[] = [];
  const query = sql.fragment`
    select ctid from ${sql.identifier([name])} t where ${where} limit ${limit}`;
  for await (const rows of copyRows(client, query)) {
    for (const [place] of rows) places.push(place ?? "");
  }
  return places;
}

/** @returns how many rows were changed: none that another transaction holds */
async function changePieces(
  within: Within,
  { name, where, set }: Change,
  places: readonly string[],
  signal?: AbortSignal,
): Promise<number> {
  const table = sql.identifier([name]);
  const statement = set
    ? sql.fragment`update ${table} set ${set}`
    : sql.fragment`delete from ${table}`;
  let changed = 0;
  let size = FIRST_PIECE;
  for (let from = 0, next = 0; from < places.length; from = next) {
    signal?.throwIfAborted();
    next = from + size;
    const piece = sql.array(places.slice(from, next), "tid");
    const began = performance.now();
    changed += await within(({ run }) =>
      run(sql.unsafe`
        ${statement} where ctid = any(array(
          select ctid from ${table} t
          where ctid = any(${piece}) and ${where} for update skip locked))`),
    );
    const ofTime = PIECE_MS / (performance.now() - began);
    size = Math.ceil(Math.min(MOST_OF_PIECE, size * Math.min(2, Math.max(0.2, ofTime))));
  }
  return changed;
}
