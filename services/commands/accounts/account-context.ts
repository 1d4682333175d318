import type { KeyObject } from "node:crypto";
import type { LastSeen } from "#infra/postgres/last-seen.ts";
import type { Lookups, Statements } from "#infra/postgres/statements.ts";
import type { Passwords } from "#infra/security/passwords.ts";
import type { CommandContext } from "../context.ts";

/** What account commands need besides: addresses are named under `emailKey` (see vault/secrets). */
export type AccountContext = CommandContext & {
  readonly emailKey: KeyObject;
  readonly passwords: Passwords;
  /** For what every sign-in looks up. */
  readonly lookups: Lookups;
  /** For what every registration and sign-in writes there. */
  readonly vault: Statements;
  /** Users whose registration has failed in this process; their addresses can be taken over at once. */
  readonly failedRegistrations: LastSeen<true>;
};
