import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { DatabasePool } from "slonik";
import type { Config } from "#infra/config/config.ts";
import type { EventLog, Position } from "#infra/log/event-log.ts";
import type { Presence } from "#infra/postgres/coordination.ts";
import type { Lookups, Statements } from "#infra/postgres/statements.ts";
import { countKeylessUsers } from "#infra/vault/credentials.ts";
import { createPasswords } from "#infra/vault/password-hash.ts";
import type { PositionWaits } from "#projections/engine/progress.ts";
import {
  type AccountContext,
  createFailedRegistrations,
} from "./commands/accounts/account-context.ts";
import { createCatalogueStates } from "./commands/catalogues/catalogue-states.ts";
import { createRevisionsInProgress } from "./commands/context.ts";
import { runSetup } from "./setup/run-setup.ts";

/** How long a command waits while nothing becomes visible; then the answer is 503. */
const VISIBLE_TIMEOUT_MS = 60_000;
/**
 * A megabyte at most; addresses of evicted users are free after a minute, like those of other
 * processes.
 */
const MAX_FAILED_REGISTRATIONS = 10_000;

export type AccountContextDeps = {
  readonly config: Pick<Config, "admin">;
  readonly log: EventLog;
  readonly pool: DatabasePool;
  readonly lookups: Lookups;
  readonly vault: Statements;
  readonly waits: PositionWaits;
  readonly presence: Pick<Presence, "key">;
  readonly logger: Logger;
};

export type OpenedAccounts = {
  readonly context: AccountContext;
  /** Position of the administrator that the setup step created; null when it created none. */
  readonly administratorAt: Position | null;
};

/** Opens the context of commands after the setup step has run. */
export async function openAccountContext(deps: AccountContextDeps): Promise<OpenedAccounts> {
  const { config, log, pool, lookups, vault, waits, presence, logger } = deps;
  const basics = {
    log,
    pool,
    vault,
    logger,
    passwords: createPasswords(),
    now: () => new Date(),
    newId: randomUUID,
  };
  const { emailKey, administratorAt } = await runSetup(basics, config.admin);
  const keyless = await countKeylessUsers(pool);
  if (keyless > 0) logger.warn(`${keyless} users of the log have no key`);
  const context: AccountContext = {
    ...basics,
    lookups,
    emailKey,
    failedRegistrations: createFailedRegistrations(MAX_FAILED_REGISTRATIONS),
    worker: presence.key,
    revisionsInProgress: createRevisionsInProgress(),
    catalogueStates: createCatalogueStates(pool, logger),
    untilVisible: (projection, position) => waits.until(projection, position, VISIBLE_TIMEOUT_MS),
  };
  return { context, administratorAt };
}
