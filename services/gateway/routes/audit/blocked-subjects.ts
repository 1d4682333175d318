import { Refusal } from "#contracts/errors.ts";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import { retryParked, StillParked } from "#projections/engine/retry-parked-events.ts";
import { listParked } from "#projections/queries/projection-state.ts";
import type { MakeHandler } from "../make-handler.ts";

export const listParkedEventsHandler: MakeHandler<"listParkedEvents", "retryPool"> =
  ({ retryPool }) =>
  async () => ({ body: { parked: await listParked(retryPool) } });

export const retryParkedEventsHandler: MakeHandler<"retryParkedEvents", "retryPool" | "log"> =
  ({ retryPool, log }) =>
  async ({ params }) => {
    const parked = (await listParked(retryPool)).find(({ id }) => id === params.id);
    if (!parked) throw new Refusal("NOT_FOUND", "Nothing is parked under this id");
    const applied = await retryParked(retryPool, log, ALL_PROJECTIONS, parked).catch(refuse);
    return { body: { applied } };
  };

function refuse(error: unknown): never {
  if (!(error instanceof StillParked)) throw error;
  throw new Refusal("CONFLICT", error.message, { cause: error });
}
