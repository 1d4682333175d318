import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import type { DatabasePool } from "slonik";
import { afterAll, beforeAll } from "vitest";
import type { EventLog } from "#infra/event-log/event-log.ts";
import { newHolder } from "#infra/postgres/lease.ts";
import { createDatabase, createPgPool, type PgPoolOptions } from "#infra/postgres/pool.ts";
import { createPresence, type Presence } from "#infra/postgres/presence.ts";
import { cataloguesProjection } from "#projections/catalogues/catalogues-projection.ts";
import { waitForPosition } from "#projections/engine/wait-for-position.ts";
import { createCatalogueStates } from "#services/commands/catalogues/catalogue-states.ts";
import {
  type Command,
  type CommandContext,
  createRevisionsInProgress,
} from "#services/commands/context.ts";
import { type Projector, startProjector } from "#services/projector/start-projector.ts";
import { useDatabase } from "../../support/database.ts";
import { silentLogger } from "../../support/logger.ts";
import {
  type ServiceLog,
  startServiceLog,
  type TestLogKind,
  testLogKind,
} from "../../support/service-log.ts";

export type TestCatalogues = {
  readonly context: CommandContext;
  readonly presence: Presence;
  readonly projectorPool: Pool;
  readonly databaseUrl: string;
  /** What the configuration says of the log. */
  readonly logVariables: Readonly<Record<string, string>>;
};

export function newCommand(actor = "user_1_tester"): Command {
  return { id: randomUUID(), actor };
}

/** Catalogue commands over a real log, with the projection running beside them. */
export function useCatalogues(
  logKind: TestLogKind = testLogKind(),
  projecting: Partial<PgPoolOptions> = {},
): TestCatalogues {
  const database = useDatabase();
  const opened: Partial<{
    serviceLog: ServiceLog;
    log: EventLog;
    pool: DatabasePool;
    projectorPool: Pool;
    presence: Presence;
    projector: Projector;
    context: CommandContext;
  }> = {};

  beforeAll(async () => {
    const logger = silentLogger();
    const serviceLog = await startServiceLog(logKind, database.url);
    const log = await serviceLog.open();
    const pool = await createDatabase(database.url, { applicationName: "test" });
    const projectorPool = createPgPool(database.url, {
      applicationName: "test projector",
      ...projecting,
    });
    const presence = await createPresence(database.url);
    const projector = startProjector({
      databaseUrl: database.url,
      log,
      pool: projectorPool,
      holder: newHolder(),
      projections: [cataloguesProjection],
      logger,
      onFatal: (error) => {
        throw error;
      },
    });
    const context: CommandContext = {
      log,
      pool,
      untilVisible: (projection, position) => waitForPosition(pool, projection, position, 20_000),
      worker: presence.key,
      revisionsInProgress: createRevisionsInProgress(),
      catalogueStates: createCatalogueStates(pool, logger),
      logger,
      now: () => new Date(),
      newId: randomUUID,
    };
    Object.assign(opened, { serviceLog, log, pool, projectorPool, presence, projector, context });
  });
  afterAll(async () => {
    await opened.projector?.close();
    await opened.presence?.close();
    await opened.projectorPool?.end();
    await opened.pool?.end();
    await opened.log?.close();
    await opened.serviceLog?.close();
  });

  const there = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error("the catalogues are there only while tests run");
    return value;
  };
  return {
    get context() {
      return there(opened.context);
    },
    get presence() {
      return there(opened.presence);
    },
    get projectorPool() {
      return there(opened.projectorPool);
    },
    get databaseUrl() {
      return database.url;
    },
    get logVariables() {
      return there(opened.serviceLog).variables;
    },
  };
}
