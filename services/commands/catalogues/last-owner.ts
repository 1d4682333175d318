import type { CommonQueryMethods } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import { whileLocked } from "#infra/postgres/statements.ts";
import { type GroupLosing, orphanOf } from "#projections/read/catalogues.ts";
import type { CommandContext } from "../context.ts";

/** Any fixed number, unique among the service's advisory locks. */
const OWNERS_LOCK = "4417730962581903";

/**
 * Runs `work`, after which a catalogue may have an owner less, while nobody else does. It ends once its change is
 * visible: of two owners who go at once, by themselves or with a group, one therefore comes second.
 */
export function whileOwnersStay<T>(
  { pool }: Pick<CommandContext, "pool">,
  work: (connection: CommonQueryMethods) => Promise<T>,
): Promise<T> {
  return whileLocked(pool, OWNERS_LOCK, work);
}

/** @throws Refusal CONFLICT where a catalogue would lose its last owner with the users who leave the group */
export async function requireOwnersBeside(
  connection: CommonQueryMethods,
  losing: GroupLosing,
): Promise<void> {
  const orphan = await orphanOf(connection, losing);
  if (orphan === null) return;
  const which = orphan.name === null ? "a catalogue" : `the catalogue "${orphan.name}"`;
  throw new Refusal("CONFLICT", `The last owner of ${which} stays, and it is this group`);
}
