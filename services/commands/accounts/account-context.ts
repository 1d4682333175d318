import type { KeyObject } from "node:crypto";
import type { Lookups, Statements } from "#infra/postgres/statements.ts";
import type { Passwords } from "#infra/security/password-hash.ts";
import type { CommandContext } from "../context.ts";
import type { FailedRegistrations } from "./failed-registrations.ts";

/** What account commands need besides: addresses are named under `emailKey` (see vault/secrets). */
export type AccountContext = CommandContext & {
  readonly emailKey: KeyObject;
  readonly passwords: Passwords;
  /** For what every sign-in looks up. */
  readonly lookups: Lookups;
  /** For what every registration and sign-in writes there. */
  readonly vault: Statements;
  readonly failedRegistrations: FailedRegistrations;
};
