import type { DatabasePool } from "slonik";
import type { z } from "zod";
import { ApiError, type ErrorCode } from "#contracts/errors.ts";
import type { Operation } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/operations.ts";
import type { EventReads } from "#projections/queries/event-reads.ts";
import type { Call, Handler, JsonAnswer } from "#services/gateway/handler.ts";
import { getCatalogueHandler } from "#services/gateway/routes/catalogues/get-catalogue.ts";
import { listCataloguesHandler } from "#services/gateway/routes/catalogues/list-catalogues.ts";
import { listVersionsHandler } from "#services/gateway/routes/catalogues/list-versions.ts";
import { filterEventsHandler } from "#services/gateway/routes/events/filter-events.ts";
import { getEventHandler } from "#services/gateway/routes/events/get-event.ts";
import { getEventHistoryHandler } from "#services/gateway/routes/events/get-event-history.ts";
import { listEventsHandler } from "#services/gateway/routes/events/list-events.ts";
import { validate } from "#services/gateway/validate.ts";

/** Query parameters as a client writes them. */
export type Parameters = Readonly<Record<string, string | number>>;

type Body<O extends Operation> = z.output<O["success"]["schema"]>;
export type Read<O extends Operation> = (
  params: Readonly<Record<string, string>>,
  query?: Parameters,
) => Promise<{ body: Body<O>; etag: string | undefined }>;

/** Calls a handler as the gateway does, and checks the answer against the operation's schema. */
function read<O extends Operation>(operation: O, handler: Handler<O>): Read<O> {
  return async (params, query = {}) => {
    const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
    const call = {
      params,
      query: operation.query && validate(operation.query, Object.fromEntries(texts)),
    } as unknown as Call<O>;
    const answer = (await handler(call)) as JsonAnswer<O>;
    const sent: unknown = JSON.parse(JSON.stringify(answer.body));
    const body = operation.success.schema.parse(sent) as Body<O>;
    return { body, etag: answer.headers?.["etag"] };
  };
}

export type ApiReads = ReturnType<typeof createApiReads>;

/** The read operations of catalogues, without HTTP around them. */
export function createApiReads(pool: DatabasePool, reads: EventReads) {
  const deps = { pool, reads, lookups: reads.prepared };
  return {
    listCatalogues: read(operations.listCatalogues, listCataloguesHandler(deps)),
    getCatalogue: read(operations.getCatalogue, getCatalogueHandler(deps)),
    listVersions: read(operations.listVersions, listVersionsHandler(deps)),
    listEvents: read(operations.listEvents, listEventsHandler(deps)),
    filterEvents: read(operations.filterEvents, filterEventsHandler(deps)),
    getEvent: read(operations.getEvent, getEventHandler(deps)),
    getEventHistory: read(operations.getEventHistory, getEventHistoryHandler(deps)),
  };
}

/** The code with which a read is refused, and the fields that it names. */
export async function refusal(
  answer: Promise<unknown>,
): Promise<{ code: ErrorCode; fields: string[] }> {
  try {
    await answer;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const details = (error.details ?? []) as { field: string }[];
    return { code: error.code, fields: details.map(({ field }) => field) };
  }
  throw new Error("the read was not refused");
}
