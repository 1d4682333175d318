import { createHash, randomUUID } from "node:crypto";
import type { Pool } from "pg";
import type { DatabasePool } from "slonik";
import { afterAll, beforeAll } from "vitest";
import type { Role } from "#contracts/rights.ts";
import { type EventLog, eventsToHead, type RecordedEvent, START } from "#infra/log/event-log.ts";
import { createPostgresEventLog } from "#infra/log/postgres-event-log.ts";
import {
  createDatabase,
  createPgPool,
  createPreparedStatements,
  type PreparedStatements,
} from "#infra/postgres/pool.ts";
import type { Passwords } from "#infra/vault/credentials.ts";
import { waitForPosition } from "#projections/engine/progress.ts";
import { runProjection } from "#projections/engine/run.ts";
import { usersProjection } from "#projections/users/projection.ts";
import { type CallerNetwork, loginCommand } from "#services/accounts/passwords.ts";
import { createAccount, createFailedRegistrations } from "#services/accounts/registration.ts";
import type { AccountContext, Command } from "#services/context.ts";
import { runSetup } from "#services/open-accounts.ts";
import { createRevisionsInProgress } from "#services/revision.ts";
import { createCatalogueStates } from "#services/streams.ts";
import { useDatabase } from "../../support/database.ts";
import { lazily } from "../../support/lazily.ts";
import { silentLogger } from "../../support/logger.ts";

export const PASSWORD = "correct horse battery";

/** Where sign-ins come from that are not about it. */
export const SOME_NETWORK: CallerNetwork = { tag: Buffer.alloc(32, 1), mustBeKnown: false };

export type Accounts = {
  readonly databaseUrl: string;
  readonly context: AccountContext;
  readonly pool: DatabasePool;
  readonly pgPool: Pool;
  readonly log: EventLog;
  /** A visible account of a new address with PASSWORD. */
  readonly register: (role: Role) => Promise<{ userId: string; email: string }>;
  /** Everything that is in the log. */
  readonly events: () => Promise<RecordedEvent[]>;
};

export function newCommand(actor = "system"): Command {
  return { id: randomUUID(), actor };
}

export function newEmail(): string {
  return `${randomUUID()}@example.org`;
}

const quickHash = (password: string) =>
  `$argon2id$${createHash("sha256").update(password).digest("hex")}`;

/** Argon2 has its own tests; here it would take most of the time. */
const QUICK: Passwords = {
  hash: async (password) => quickHash(password),
  verify: async (hash, password) => hash === quickHash(password),
};

/** The accounts of a service after its setup step, with the projection "users" running. */
export function useAccounts(passwords: Passwords = QUICK): Accounts {
  const database = useDatabase();
  const stop = new AbortController();
  let opened: Accounts | undefined;
  let vault: PreparedStatements | undefined;
  let projecting: Promise<void> | undefined;

  beforeAll(async () => {
    const pool = await createDatabase(database.url, { applicationName: "accounts-test" });
    const pgPool = createPgPool(database.url, { applicationName: "accounts-test" });
    vault = createPreparedStatements(database.url, { applicationName: "accounts-test vault" });
    const log = await createPostgresEventLog(database.url);
    const deps = {
      log,
      pool,
      vault,
      passwords,
      logger: silentLogger(),
      now: () => new Date(),
      newId: randomUUID,
    };
    const { emailKey } = await runSetup(deps, null);
    const context: AccountContext = {
      ...deps,
      lookups: pool,
      emailKey,
      untilVisible: (projection, position) => waitForPosition(pool, projection, position, 60_000),
      worker: "1",
      revisionsInProgress: createRevisionsInProgress(),
      catalogueStates: createCatalogueStates(pool, silentLogger()),
      failedRegistrations: createFailedRegistrations(100),
    };
    projecting = runProjection(
      { log, pool: pgPool, logger: deps.logger },
      usersProjection,
      stop.signal,
    );
    opened = {
      databaseUrl: database.url,
      context,
      pool,
      pgPool,
      log,
      register: (role) => register(context, role),
      events: () => readAll(log),
    };
  });

  afterAll(async () => {
    stop.abort();
    await vault?.close();
    await projecting;
    await opened?.log.close();
    await opened?.pgPool.end();
    await opened?.pool.end();
  });

  return lazily(() => opened);
}

/** A new account that is signed in. */
export async function makerOf({ context, register }: Accounts, role: Role = "viewer") {
  const { userId, email } = await register(role);
  const form = { email, password: PASSWORD, network: SOME_NETWORK };
  const loggedIn = await loginCommand(context, form, 3_600_000);
  if (loggedIn === null) throw new Error("a new account signs in");
  return { userId, sessionId: loggedIn.sessionId };
}

async function register(
  context: AccountContext,
  role: Role,
): Promise<{ userId: string; email: string }> {
  const email = newEmail();
  const form = { email, password: PASSWORD, name: "Ana" };
  const options = { role, unfinishedMs: 0 };
  const { userId, position } = await createAccount(context, newCommand(), form, options);
  if (position === null) throw new Error("an account always makes an event");
  await context.untilVisible("users", position);
  return { userId, email };
}

async function readAll(log: EventLog): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const batch of eventsToHead(log, START, new AbortController().signal)) {
    events.push(...batch.events);
  }
  return events;
}
