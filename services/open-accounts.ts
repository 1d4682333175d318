/**
 * The setup step of a migrated database, and the context of commands that needs what it has
 * made.
 */

import { type KeyObject, randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { DatabasePool } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import { ROLE_PERMISSIONS } from "#contracts/rights.ts";
import type { Config } from "#infra/config/config.ts";
import type { EventLog, Position } from "#infra/log/event-log.ts";
import type { Presence } from "#infra/postgres/coordination.ts";
import type { Lookups, Statements } from "#infra/postgres/statements.ts";
import {
  countKeylessUsers,
  createPasswords,
  storeRoleDefinitions,
} from "#infra/vault/credentials.ts";
import { emailKey } from "#infra/vault/personal-data.ts";
import type { PositionWaits } from "#projections/engine/progress.ts";
import { createAccount } from "#services/accounts/registration.ts";
import { type Registration, validRegistration } from "#services/domain/accounts/fields.ts";
import { createFailedRegistrations } from "./accounts/registration.ts";
import type { AccountContext } from "./context.ts";
import { createRevisionsInProgress } from "./revision.ts";
import { createCatalogueStates } from "./streams.ts";

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

/**
 * Opens the context of commands after the setup step has run.
 * @returns with the position of the administrator that the step created; null when it created none
 */
export async function openAccountContext(deps: AccountContextDeps) {
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

/**
 * The setup step on a migrated database: the vault's secrets, the role definitions and, if
 * configured, the first administrator. May be repeated, also by several processes at once.
 * @returns the key for pseudonyms of addresses, which account commands need, and the position of a
 * newly created administrator in the log
 */
export async function runSetup(
  deps: Omit<AdministratorDeps, "emailKey">,
  administrator: Registration | null,
): Promise<{ emailKey: KeyObject; administratorAt: Position | null }> {
  const key = await emailKey(deps.pool);
  await storeRoleDefinitions(deps.pool, ROLE_PERMISSIONS);
  const administratorAt =
    administrator && (await createAdministrator({ ...deps, emailKey: key }, administrator));
  return { emailKey: key, administratorAt };
}

type AdministratorDeps = Pick<
  AccountContext,
  "log" | "pool" | "vault" | "emailKey" | "passwords" | "logger" | "now" | "newId"
>;

/**
 * Creates the first administrator, unless the address has an account, which stays unchanged. Does
 * not wait for the read model, whose projection may not run yet. A reservation without an account is
 * taken over whatever its age, so that an interrupted start does not block the next.
 * @returns position of the account in the log; null when it existed before
 * @throws Refusal VALIDATION_ERROR
 */
async function createAdministrator(
  deps: AdministratorDeps,
  administrator: Registration,
): Promise<Position | null> {
  const command = { id: deps.newId(), actor: "system" };
  try {
    const { userId, position } = await createAccount(
      deps,
      command,
      validRegistration(administrator),
      {
        role: "admin",
        unfinishedMs: 0,
      },
    );
    deps.logger.info({ userId }, "bootstrap administrator created");
    return position;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "CONFLICT") throw error;
    deps.logger.info("bootstrap administrator not created: its address has an account");
    return null;
  }
}
