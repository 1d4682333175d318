import { readFile } from "node:fs/promises";
import { afterAll, expect, test } from "vitest";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import { openEventReads } from "#projections/read/walk.ts";
import { THREADS } from "#services/threads.ts";
import { EXPORT_CONNECTIONS } from "#services/turns.ts";
import { silentLogger } from "../../support/logger.ts";

const reads = openEventReads("postgresql://127.0.0.1:9/nothing", silentLogger());
afterAll(reads.close);

/** Defaults of `createPreparedStatements` and `createPgPool`, and of `createDatabase`. */
const FEW = 4;
const MANY = 10;
const LEASE = 1;

/** The database's watch; of a log in PostgreSQL its appends, its reads and its listener. */
const BASE = 1 + 8 + FEW + 1;
/** Those of a process that appends nothing. */
const READING = BASE - 8;

/** Sessions of a task in a thread; a refresh of a merge has two. */
const SESSIONS: Readonly<Record<Exclude<keyof typeof THREADS, "submissions">, number>> = {
  statistics: 0,
  declustering: 1,
  comparisons: 1,
  hashes: 1,
  plots: 0,
  exports: 0,
  wholeExports: 0,
  bulletins: 0,
  uploads: 0,
  merges: 2,
  decisions: 1,
  restores: 1,
  conversions: 1,
  imports: 1,
  messages: 1,
  parts: 1,
};
/** Each session in a thread has a watch beside it. */
const WATCHED = 2;
/** Of submissions one more than there are processors. */
const IN_THREADS = Object.entries(SESSIONS).reduce(
  (sum, [kind, sessions]) =>
    sum + WATCHED * sessions * THREADS[kind as keyof typeof THREADS].queue.running,
  WATCHED * 1,
);

const OF_GATEWAY =
  // Lookups, the vault's; the gateway's own; retries, presence; messages of agencies, parts.
  2 * FEW +
  MANY +
  2 +
  1 +
  2 * LEASE +
  sizeOf(reads.pool) +
  sizeOf(reads.longPool) +
  EXPORT_CONNECTIONS;
const OF_PROJECTOR = FEW + ALL_PROJECTIONS.length * LEASE;
/** Notices, changes, the analytics feed. */
const OF_PUBLISHER = 4 + 2 + 2 + 3 * LEASE;
const OF_NOTIFIER = 4;

function sizeOf({ options }: { readonly options: { readonly max?: number } }): number {
  return options.max ?? 0;
}

const MOST = {
  gateway: BASE + OF_GATEWAY + IN_THREADS,
  projector: READING + OF_PROJECTOR,
  publisher: READING + OF_PUBLISHER,
  /** Without NATS it reads the log under a lease. */
  notifier: READING + OF_NOTIFIER + LEASE,
};
const ALL_ROLES = MOST.gateway + OF_PROJECTOR + OF_PUBLISHER + OF_NOTIFIER;

const textOf = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), "utf8");
const numbersOf = (text: string, pattern: RegExp) =>
  (pattern.exec(text) ?? []).slice(1).map(Number);

test("OPERATING.md says how many connections each role takes at most", async () => {
  const text = await textOf("OPERATING.md");
  expect(numbersOf(text, /^\| gateway .* up to (\d+) connections, two more for each pro/m)).toEqual(
    [MOST.gateway],
  );
  for (const role of ["projector", "publisher", "notifier"] as const) {
    const pattern = new RegExp(`^\\| ${role} .* (\\d+) connections \\|$`, "m");
    expect([role, numbersOf(text, pattern)]).toEqual([role, [MOST[role]]]);
  }
});

test("docker-compose.yml says how many connections each role takes at most, and has room for them", async () => {
  const text = (await textOf("docker-compose.yml")).replaceAll(/\n +# /g, " ");
  const [gateway, projector, publisher, notifier, room] = numbersOf(
    text,
    /up to (\d+) connections and two for each processor.* (\d+), (\d+) and (\d+)\.[\s\S]*?max_connections=(\d+)/,
  );
  expect({ gateway, projector, publisher, notifier }).toEqual(MOST);
  const inAll = Object.values(MOST).reduce((sum, most) => sum + most);
  expect(room).toBeGreaterThan(inAll + 2 * 16);
});

test("the embedded server has room for all connections of one process with every role", async () => {
  const text = await textOf("infra/postgres/embedded/embedded.ts");
  const [most, room] = numbersOf(text, /hold up to (\d+), [^"]*max_connections: "(\d+)"/);
  expect(most).toBe(ALL_ROLES);
  expect(room).toBeGreaterThan(ALL_ROLES + 2 * 32);
});
