import { sql } from "slonik";
import { z } from "zod";
import { Refusal, RetryLater } from "#contracts/errors.ts";
import { deriveEventId } from "#infra/log/domain-events.ts";
import type { Command, CommandContext } from "../context.ts";
import { loadCatalogue } from "./catalogue-decision.ts";
import { catalogueIdOf } from "./create-catalogue.ts";

/** Any fixed number, unique among the service's advisory locks. */
const LOCK_KEY = "2854901137640226";
const Locked = z.object({ locked: z.boolean() });
/** Every service's sample has the same ids, by which a loaded one is known, whatever its name is now. */
const SAMPLE = "5a3b6f0e-7c1d-4e52-9f2b-0b8d1c7a4e61";

/**
 * Creates the sample by `create`, unless it is there; once deleted, it can be loaded again.
 * @returns what `create` does
 * @throws Refusal CONFLICT: it is there, or is being loaded
 */
export async function loadSampleCommand<T>(
  context: CommandContext,
  { actor }: Pick<Command, "actor">,
  create: (command: Command) => Promise<T>,
): Promise<T> {
  return context.pool.connect(async (connection) => {
    const { locked } = await connection.one(
      sql.type(Locked)`select pg_try_advisory_lock(${LOCK_KEY}::bigint) as locked`,
    );
    if (!locked) throw new RetryLater("CONFLICT", "The sample is being loaded");
    try {
      return await create({ id: await nextSampleId(context), actor });
    } finally {
      await connection.query(sql.unsafe`select pg_advisory_unlock(${LOCK_KEY}::bigint)`);
    }
  });
}

/** The id of the command that creates the next sample, after those that were deleted. */
async function nextSampleId(context: CommandContext): Promise<string> {
  for (let run = 0; ; run += 1) {
    const id = deriveEventId(SAMPLE, "sample", run);
    const { state } = await loadCatalogue(context, catalogueIdOf({ id }));
    if (state.status === "existing") throw new Refusal("CONFLICT", "The sample is there already");
    if (state.status === "absent") return id;
  }
}
