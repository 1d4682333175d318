import type { Pool } from "pg";
import { Refusal } from "#contracts/errors.ts";
import type { Operations } from "#contracts/http/operations.ts";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import { retryParked, StillParked } from "#projections/engine/retry-parked-events.ts";
import { listParked } from "#projections/queries/projection-state.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../../http/handler.ts";

export function listParkedEventsHandler({
  retryPool,
}: {
  readonly retryPool: Pool;
}): Handler<Operations["listParkedEvents"]> {
  return async () => ({ body: { parked: await listParked(retryPool) } });
}

type Deps = Pick<CommandContext, "log"> & { readonly retryPool: Pool };

export function retryParkedEventsHandler({
  retryPool,
  log,
}: Deps): Handler<Operations["retryParkedEvents"]> {
  return async ({ params }) => {
    const parked = (await listParked(retryPool)).find(({ id }) => id === params.id);
    if (!parked) throw new Refusal("NOT_FOUND", "Nothing is parked under this id");
    const applied = await retryParked(retryPool, log, ALL_PROJECTIONS, parked).catch(refuse);
    return { body: { applied } };
  };
}

function refuse(error: unknown): never {
  if (!(error instanceof StillParked)) throw error;
  throw new Refusal("CONFLICT", error.message, { cause: error });
}
