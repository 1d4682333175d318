import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { afterAll, beforeAll } from "vitest";
import { createPresence, newHolder, type Presence } from "#infra/postgres/coordination.ts";
import { createDatabase, createPgPool, type PgPoolOptions } from "#infra/postgres/pool.ts";
import { cataloguesProjection } from "#projections/catalogues/projection.ts";
import { waitForPosition } from "#projections/engine/progress.ts";
import type { Command, CommandContext } from "#services/context.ts";
import { startProjector } from "#services/projector/start-projector.ts";
import { createRevisionsInProgress } from "#services/revision.ts";
import { createCatalogueStates } from "#services/streams.ts";
import { useDatabase } from "../database.ts";
import { lazily } from "../lazily.ts";
import { silentLogger } from "../logger.ts";
import { startServiceLog, type TestLogKind, testLogKind } from "../service-log.ts";

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

/** An edit of a catalogue, whatever others have changed. */
export function editOf(context: CommandContext, catalogueId: string, command = newCommand()) {
  return { context, command, catalogueId, precondition: null };
}

/** The same of one event. */
export function eventEditOf(
  context: CommandContext,
  catalogueId: string,
  eventId: string,
  command = newCommand(),
) {
  return { ...editOf(context, catalogueId, command), eventId };
}

/** Catalogue commands over a real log, with the projection running beside them. */
export function useCatalogues(
  logKind: TestLogKind = testLogKind(),
  projecting: Partial<PgPoolOptions> = {},
): TestCatalogues {
  const database = useDatabase();
  let opened: (TestCatalogues & { readonly close: () => Promise<void> }) | undefined;
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
      untilVisible: (projection, position) => waitForPosition(pool, projection, position, 60_000),
      worker: presence.key,
      revisionsInProgress: createRevisionsInProgress(),
      catalogueStates: createCatalogueStates(pool, logger),
      logger,
      now: () => new Date(),
      newId: randomUUID,
    };
    opened = {
      context,
      presence,
      projectorPool,
      databaseUrl: database.url,
      logVariables: serviceLog.variables,
      close: async () => {
        await projector.close();
        await presence.close();
        await projectorPool.end();
        await pool.end();
        await log.close();
        await serviceLog.close();
      },
    };
  });
  afterAll(() => opened?.close());
  return lazily(() => opened);
}
