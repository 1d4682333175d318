import { createHash } from "node:crypto";
import type { ClientBase } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { Refusal, RetryLater } from "#contracts/errors.ts";
import type { MergeConfig } from "#contracts/merge/merge-config.ts";
import { openWatchedSession } from "#infra/postgres/connection.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { existingAmong, type MergeBase, readMergeBase } from "#projections/read/merges/refresh.ts";
import { latestVersions } from "#projections/read/merges/sources.ts";
import type { Reader } from "#projections/read/rights.ts";
import type { MergeSource } from "../plan/merge-plan.ts";
import type { ScopeOptions } from "./refresh-scope.ts";

export type RefreshRequest = ScopeOptions & {
  readonly catalogueId: string;
  /** Absent for the settings that the merge has. */
  readonly config?: MergeConfig | undefined;
  /** Whose sources they are: others do not exist. */
  readonly reader: Reader;
};

/** A merged catalogue with its sources, as they are in one snapshot. */
export type OpenRefresh = AsyncDisposable & {
  /** In a transaction with isolation REPEATABLE READ. */
  readonly client: ClientBase;
  /** Another connection, for look-ups of rows that never change. */
  readonly beside: ClientBase;
  readonly base: MergeBase;
  readonly sources: readonly MergeSource[];
  readonly config: MergeConfig;
  readonly reader: Reader;
};

/**
 * @param isAlone whether there may be one at a time for each catalogue, at whatever gateway
 * @throws Refusal NOT_FOUND, FORBIDDEN, CONFLICT
 */
export async function openRefresh(
  databaseUrl: string,
  { catalogueId, config, reader }: RefreshRequest,
  isAlone: boolean,
): Promise<OpenRefresh> {
  const opened = new AsyncDisposableStack();
  try {
    const { client } = opened.use(await openWatchedSession(databaseUrl, "merge"));
    const { client: beside } = opened.use(await openWatchedSession(databaseUrl, "merge"));
    await client.query("begin isolation level repeatable read, read only");
    if (isAlone) await requireAlone(client, catalogueId);
    const base = await readMergeBase(client, catalogueId);
    if (base === null) throw new Refusal("NOT_FOUND", "The catalogue is no merge");
    const sources = await sourcesOf(client, base, reader);
    return {
      client,
      beside,
      base,
      sources,
      config: config ?? base.config,
      reader,
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** Until the end of the transaction. @throws Refusal CONFLICT */
async function requireAlone(client: ClientBase, catalogueId: string): Promise<void> {
  const digest = createHash("sha256").update(`refresh of ${catalogueId}`).digest();
  const key = digest.readBigInt64BE().toString();
  const { locked } = await statementsOn(client).one(sql.type(z.object({ locked: z.boolean() }))`
    select pg_try_advisory_xact_lock(${key}::bigint) as locked`);
  if (!locked) throw otherRuns();
}

export function otherRuns(): RetryLater {
  return new RetryLater("CONFLICT", "Another refresh of this catalogue is in progress");
}

/** The latest versions of the merge's sources, in its order. @throws Refusal FORBIDDEN, CONFLICT */
async function sourcesOf(
  client: ClientBase,
  { sources }: MergeBase,
  reader: Reader,
): Promise<MergeSource[]> {
  const ids = sources.map(({ id }) => id);
  const versions = await latestVersions(client, ids, reader);
  const byId = new Map(versions.map((version) => [version.id, version]));
  const missing = ids.filter((id) => !byId.has(id));
  if ((await existingAmong(client, missing)).size > 0) {
    throw new Refusal("FORBIDDEN", "A refresh needs the right to read every source of the merge");
  }
  return sources.map(({ id, source }) => {
    const version = byId.get(id);
    if (version === undefined) throw new Refusal("CONFLICT", "A source of the merge was deleted");
    return { ...version, source };
  });
}
