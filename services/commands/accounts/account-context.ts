import type { KeyObject } from "node:crypto";
import { createRecent } from "#infra/kernel/recent.ts";
import type { Lookups, Statements } from "#infra/postgres/statements.ts";
import type { Passwords } from "#infra/vault/password-hash.ts";
import type { CommandContext } from "../context.ts";

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

/** Users whose registration failed in this process; their addresses may be taken over at once. */
export type FailedRegistrations = {
  readonly has: (userId: string) => boolean;
  readonly add: (userId: string) => void;
};

/** @param max users; beyond them the one added longest ago is evicted */
export function createFailedRegistrations(max: number): FailedRegistrations {
  const users = createRecent<true>(max);
  return {
    has: (userId) => users.get(userId) === true,
    add: (userId) => void users.keep(userId, true),
  };
}
