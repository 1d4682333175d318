import type { KeyObject } from "node:crypto";
import type { Lookups, Statements } from "#infra/postgres/statements.ts";
import type { Passwords } from "#infra/security/password-hash.ts";
import type { CommandContext } from "../context.ts";
import type { FailedRegistrations } from "./failed-registrations.ts";

/** The context of account commands; `emailKey` makes pseudonyms of addresses (see vault/secrets). */
export type AccountContext = CommandContext & {
  readonly emailKey: KeyObject;
  readonly passwords: Passwords;
  /** For the lookups of every sign-in. */
  readonly lookups: Lookups;
  /** For the vault's writes in every registration and sign-in. */
  readonly vault: Statements;
  readonly failedRegistrations: FailedRegistrations;
};
