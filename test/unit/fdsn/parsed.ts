import type { FdsnMethod } from "#contracts/fdsn/parameters.ts";
import { type FdsnFault, type FdsnQuery, parseFdsnQuery } from "#contracts/fdsn/query.ts";

/** What a query without parameters asks for. */
export const EVERYTHING: FdsnQuery = {
  filters: {},
  eventTypes: null,
  exceptMagnitudeType: null,
  eventIds: null,
  includeDeleted: null,
  updatedAfter: null,
  catalog: null,
  contributor: null,
  asOf: null,
  order: "time",
  offset: 0,
  limit: null,
  format: "xml",
  noData: 204,
  inclusion: null,
  anyMagnitude: false,
  jsonError: false,
};

type Request = { readonly method?: FdsnMethod; readonly format?: string };

/** The query that a valid query string asks. */
export function queryOf(raw: string, request: Request = {}): FdsnQuery {
  const parsed = parseFdsnQuery(raw, request);
  if (!parsed.ok) throw new Error(`${raw} is refused: ${parsed.fault.message}`);
  return parsed.query;
}

/** Why an invalid query string is refused. */
export function faultOf(raw: string, request: Request = {}): FdsnFault {
  const parsed = parseFdsnQuery(raw, request);
  if (parsed.ok) throw new Error(`${raw} is accepted: ${JSON.stringify(parsed.query)}`);
  return parsed.fault;
}
