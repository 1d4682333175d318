import type { Pool } from "pg";
import type { Operations } from "#contracts/http/operations.ts";
import { listParked } from "#projections/queries/parked-queries.ts";
import type { Handler } from "../../http/handler.ts";

export function listParkedEventsHandler({
  retryPool,
}: {
  readonly retryPool: Pool;
}): Handler<Operations["listParkedEvents"]> {
  return async () => ({ body: { parked: await listParked(retryPool) } });
}
