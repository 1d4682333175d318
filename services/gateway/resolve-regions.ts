import { z } from "zod";
import { invalid } from "#contracts/errors.ts";
import { ParameterFault } from "#contracts/fdsn/parameter-fault.ts";
import { rawParameters } from "#contracts/fdsn/raw-parameters.ts";
import type { Operation } from "#contracts/http/operation.ts";
import type { RegionArea } from "#contracts/query/region-area.ts";
import { fromCursorText } from "#projections/queries/cursor-text.ts";
import type { Regions } from "#services/regions/regions.ts";
import type { Call } from "./http/handler.ts";

/** What a request says of a saved region, in its query, its cursor or its body. */
type Naming = {
  region?: string | null;
  filters?: Naming;
  cursor?: string;
  regionArea?: RegionArea;
};

/**
 * Makes what looks up the saved region of an operation's requests. What it is now goes beside its id, wherever
 * filters of events are: in the query, in the body and in the body's member `filters`; and into the call, for
 * queries that their handlers read, and for cursors.
 * @throws Refusal VALIDATION_ERROR for an unknown region, INVALID_CURSOR
 */
export function resolvingRegions({ query, body }: Operation, { find }: Regions) {
  const ofClients = query === "fdsn";
  const ofQuery = !ofClients && haveFilters(query);
  const ofBody = haveFilters(body);
  const ofMember = body instanceof z.ZodObject && haveFilters(body.shape["filters"]);

  return async (call: Call<Operation>): Promise<Call<Operation>> => {
    if (ofClients) return { ...call, ...(await areaIn({ region: regionOf(String(call.query)) })) };
    const parameters = call.query as Naming | undefined;
    const given = call.body as Naming | undefined;
    const ofCursor =
      ofQuery && parameters?.cursor !== undefined ? regionOfCursor(parameters.cursor) : null;
    const inQuery = ofQuery ? await areaIn({ region: parameters?.region ?? ofCursor }) : null;
    const inBody = ofBody ? await areaIn(given) : null;
    const inMember = ofMember ? await areaIn(given?.filters) : null;
    const found = inQuery ?? inBody ?? inMember;
    if (found === null) return call;
    const filters = inMember && { filters: { ...given?.filters, ...inMember } };
    return {
      ...call,
      ...found,
      ...(inQuery && { query: { ...parameters, ...inQuery } }),
      ...((inBody ?? inMember) && { body: { ...given, ...inBody, ...filters } }),
    } as Call<Operation>;
  };

  async function areaIn(named: Naming | undefined): Promise<{ regionArea: RegionArea } | null> {
    const region = named?.region ?? null;
    if (region === null) return null;
    const regionArea = await find(region);
    if (regionArea === null) throw invalid("region", "there is no such region");
    return { regionArea };
  }
}

/** Whether a part of a request has filters of events, as far as a region may be among them. */
function haveFilters(schema: unknown): boolean {
  if (schema instanceof z.ZodOptional) return haveFilters(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.some(haveFilters);
  return schema instanceof z.ZodObject && "region" in schema.shape && "polygon" in schema.shape;
}

/** The region of an event service's query; what else is wrong with that is its handler's. */
function regionOf(raw: string): string | null {
  try {
    return rawParameters(raw).get("region") ?? null;
  } catch (error) {
    if (error instanceof ParameterFault) return null;
    throw error;
  }
}

/** A cursor of filtered events, or of changes. */
const FilteredCursor = z.looseObject({ filters: z.looseObject({ region: z.string().optional() }) });

function regionOfCursor(text: string): string | null {
  return fromCursorText(text, FilteredCursor).filters.region ?? null;
}
