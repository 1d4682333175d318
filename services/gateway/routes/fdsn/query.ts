import { Refusal } from "#contracts/errors.ts";
import { type FdsnQuery, parseFdsnQuery } from "#contracts/fdsn/parse-query.ts";
import type { Operations } from "#contracts/http/operations.ts";
import { COUNT_DOCUMENTS } from "#infra/formats/comcat/count-document.ts";
import { FACADE_FORMATS } from "#infra/formats/facade/facade-formats.ts";
import {
  countSelected,
  type FacadeFilters,
  type FacadeSelection,
  versionCommittedBy,
} from "#projections/queries/clients/facade-events.ts";
import type { ResolvedVersion } from "#projections/queries/events/resolve-version.ts";
import type { Answer, Call, Handler } from "../../http/handler.ts";
import { facadeAnswer, headOf } from "./facade-answer.ts";
import { type FacadeTarget, facadeTarget, type TargetDeps } from "./facade-target.ts";
import { type FindDeps, findEvents, NO_EVENTS, within } from "./find-events.ts";

export type FdsnQueryDeps = TargetDeps & FindDeps;

type Query = Operations["fdsnQuery"];
type Format = FdsnQuery["format"];

/** Formats in which clients expect no content for no events; in the others an empty collection. */
const WITHOUT_COLLECTION: ReadonlySet<Format> = new Set(["xml", "text"]);
/** Formats whose head tells the number of events. */
const COUNTED: ReadonlySet<Format> = new Set(["geojson", "json"]);
/** Formats that tell when an event was last changed. */
const DATED: ReadonlySet<Format> = new Set(["geojson", "csv", "json"]);

export function fdsnQueryHandler(deps: FdsnQueryDeps): Handler<Query> {
  return async (call) => {
    const query = readQuery(call.query, "query", call.params.format);
    const { format } = query;
    const target = await facadeTarget(deps, call, query);
    const isCounted = COUNTED.has(format);
    const found = selects(target, query)
      ? await findEvents(deps, await selectionOf(deps, target, query, call), call, isCounted)
      : NO_EVENTS;
    if (found.count === 0 && WITHOUT_COLLECTION.has(format)) return noData(query, target);
    const isDetail = format === "geojson" && query.eventIds !== null && found.count === 1;
    const request = deps.publicBaseUrl + call.url;
    const answer = facadeAnswer(target, { request, at: deps.now() }, query);
    return {
      ...(wantsMembers(query) ? HEAD_WITH_MEMBERS : headOf(target)),
      contentType: FACADE_FORMATS[format].contentType,
      ...found.write(isDetail ? "detail" : format, answer),
    };
  };
}

export function fdsnCountHandler(deps: FdsnQueryDeps): Handler<Operations["fdsnCount"]> {
  return async (call) => {
    const query = readQuery(call.query, "count", undefined);
    const target = await facadeTarget(deps, call, query);
    const { version } = target;
    const all = selects(target, query)
      ? await countSelected(deps.pool, version, await filtersOf(deps, version, query))
      : 0;
    const { contentType, write } = COUNT_DOCUMENTS[query.format as keyof typeof COUNT_DOCUMENTS];
    return { ...headOf(target), contentType, text: write(within(all, query)) };
  };
}

/** @throws Refusal VALIDATION_ERROR that names the parameter */
function readQuery(raw: string, method: "query" | "count", format: string | undefined): FdsnQuery {
  const parsed = parseFdsnQuery(raw, { method, format });
  if (parsed.ok) return parsed.query;
  const { parameter, message } = parsed.fault;
  throw new Refusal("VALIDATION_ERROR", message, { details: [{ field: parameter, message }] });
}

/** Below a catalogue `catalog` is a condition, which its id or its name fulfils. */
function selects({ catalogue }: FacadeTarget, { catalog }: FdsnQuery): boolean {
  if (catalog === null) return true;
  const wanted = catalog.toLowerCase();
  return wanted === catalogue.id || wanted === catalogue.name.toLowerCase();
}

async function filtersOf(
  { lookups }: TargetDeps,
  version: ResolvedVersion,
  query: FdsnQuery,
): Promise<FdsnQuery & FacadeFilters> {
  const { updatedAfter } = query;
  const changedAfter =
    updatedAfter === null ? null : await versionCommittedBy(lookups, version, updatedAfter);
  return { ...query, changedAfter };
}

async function selectionOf(
  deps: TargetDeps,
  { version }: FacadeTarget,
  query: FdsnQuery,
  { actor }: Pick<Call<Query>, "actor">,
): Promise<FacadeSelection> {
  const readable = actor === null ? "public" : "all";
  const members = wantsMembers(query) ? readable : "none";
  const filters = await filtersOf(deps, version, query);
  return { version, query: filters, withUpdated: DATED.has(query.format), members };
}

function wantsMembers({ format, includeAllOrigins, includeAllMagnitudes }: FdsnQuery): boolean {
  return format === "xml" && (includeAllOrigins || includeAllMagnitudes);
}

/**
 * Which members there are also depends on the caller, and on catalogues that are published or deleted
 * without a version of this one: such an answer has no tag, and no shared cache keeps it.
 */
const HEAD_WITH_MEMBERS = { isPublic: false, isVersioned: false } as const;

/** @throws Refusal NOT_FOUND where the client asks for 404 */
function noData({ noData: status, format }: FdsnQuery, target: FacadeTarget): Answer<Query> {
  if (status === 404) throw new Refusal("NOT_FOUND", "No events match the query");
  const { contentType } = FACADE_FORMATS[format];
  return { ...headOf(target), status, contentType, text: "" };
}
