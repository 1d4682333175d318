import { Refusal } from "#contracts/errors.ts";
import { NO_INCLUSION } from "#contracts/fdsn/inclusion.ts";
import { type FdsnQuery, parseFdsnQuery } from "#contracts/fdsn/parse-query.ts";
import type { Operations } from "#contracts/http/table/operations.ts";
import { PARTS, type PartNumber } from "#infra/bulletins/bulletin-parts.ts";
import { COUNT_DOCUMENTS } from "#infra/formats/comcat/count-document.ts";
import { listedName } from "#infra/formats/delimited/listed-name.ts";
import { FACADE_FORMATS, isOfWholeEvents } from "#infra/formats/facade/facade-formats.ts";
import {
  countSelected,
  type FacadeFilters,
  type FacadeSelection,
  versionCommittedBy,
} from "#projections/queries/clients/facade-events.ts";
import type { ReadKnownValues } from "#projections/queries/clients/known-values.ts";
import type { ResolvedVersion } from "#projections/queries/events/resolve-version.ts";
import type { Answer, Call, HandlerFrom } from "../../http/handler.ts";
import { facadeAnswer, headOf } from "./facade-answer.ts";
import { type FacadeTarget, facadeTarget, type TargetDeps } from "./facade-target.ts";
import { type Counting, type FindDeps, findEvents, NO_EVENTS, within } from "./find-events.ts";

export type FdsnQueryDeps = TargetDeps & FindDeps & { readonly knownValues: ReadKnownValues };

type Query = Operations["fdsnQuery"];
type Format = FdsnQuery["format"];

/** Formats in which clients expect no content for no events; in the others an empty collection. */
const WITHOUT_COLLECTION: ReadonlySet<Format> = new Set(["xml", "text", "isf", "sc3ml"]);
/** Formats whose head tells numbers of events; EMSC's that of all that match, by which clients page. */
const COUNTED: Readonly<Partial<Record<Format, Counting>>> = { geojson: "answer", json: "all" };
/** Formats that tell when an event was last changed. */
const DATED: ReadonlySet<Format> = new Set(["geojson", "csv", "json"]);

export const fdsnQueryHandler: HandlerFrom<FdsnQueryDeps, "fdsnQuery"> = (deps) => async (call) => {
  const query = asShown(readQuery(call.query, "query", call.params.format));
  const { format } = query;
  const target = await facadeTarget(deps, call, query);
  const counting = COUNTED[format] ?? "none";
  const events = selects(target, query)
    ? await findEvents(deps, await selectionOf(deps, target, query, call), call, counting)
    : NO_EVENTS;
  if (events.count === 0 && WITHOUT_COLLECTION.has(format)) return noData(query, target);
  const isDetail = format === "geojson" && query.eventIds !== null && events.count === 1;
  const request = deps.publicBaseUrl + call.url;
  const answer = facadeAnswer(target, { request, at: deps.now() }, query);
  return {
    ...(wantsMembers(query) ? HEAD_WITH_MEMBERS : headOf(target)),
    contentType: FACADE_FORMATS[format].contentType,
    ...events.write(isDetail ? "detail" : format, answer),
  };
};

export const fdsnCountHandler: HandlerFrom<FdsnQueryDeps, "fdsnCount"> = (deps) => async (call) => {
  const query = readQuery(call.query, "count", undefined);
  const target = await facadeTarget(deps, call, query);
  const { version } = target;
  const all = selects(target, query)
    ? await countSelected(deps.pool, version, await filtersOf(deps, version, query))
    : 0;
  const { contentType, write } = COUNT_DOCUMENTS[query.format as keyof typeof COUNT_DOCUMENTS];
  return { ...headOf(target), contentType, text: write(within(all, query)) };
};

/** @throws Refusal VALIDATION_ERROR that names the parameter */
function readQuery(raw: string, method: "query" | "count", format: string | undefined): FdsnQuery {
  const parsing = parseFdsnQuery(raw, { method, format });
  if (parsing.ok) return parsing.query;
  const { parameter, message } = parsing.fault;
  throw new Refusal("VALIDATION_ERROR", message, { details: [{ field: parameter, message }] });
}

/** Below a catalogue `catalog` is a condition, which its id or its name fulfils. */
function selects({ catalogue }: FacadeTarget, { catalog }: FdsnQuery): boolean {
  if (catalog === null) return true;
  return (
    catalog.toLowerCase() === catalogue.id || listedName(catalog) === listedName(catalogue.name)
  );
}

async function filtersOf(
  { lookups, knownValues }: FdsnQueryDeps,
  version: ResolvedVersion,
  query: FdsnQuery,
): Promise<Omit<FdsnQuery, "contributor"> & FacadeFilters> {
  const { updatedAfter } = query;
  const changedAfter =
    updatedAfter === null ? null : await versionCommittedBy(lookups, version, updatedAfter);
  return { ...query, changedAfter, contributor: await contributorsOf() };

  /** The agencies that are listed so, which differ in what no list can hold. */
  async function contributorsOf(): Promise<readonly string[] | null> {
    const { contributor } = query;
    if (contributor === null) return null;
    const { agencies } = await knownValues(version);
    return agencies.filter((agency) => listedName(agency) === listedName(contributor));
  }
}

async function selectionOf(
  deps: FdsnQueryDeps,
  { version }: FacadeTarget,
  query: FdsnQuery,
  { actor }: Pick<Call<Query>, "actor">,
): Promise<FacadeSelection> {
  const readable = actor === null ? "public" : "all";
  const members = wantsMembers(query) ? readable : "none";
  const filters = await filtersOf(deps, version, query);
  const bulletins = bulletinPartsOf(query);
  const withUpdated = DATED.has(query.format);
  return { version, query: filters, withUpdated, members, ...(bulletins && { bulletins }) };
}

/** A query with what its answer is to have of bulletins, from which only xml is made. */
function asShown(query: FdsnQuery): FdsnQuery {
  const { format, inclusion, anyMagnitude } = query;
  if (format !== "xml") return { ...query, inclusion: null };
  return inclusion === null && anyMagnitude ? { ...query, inclusion: NO_INCLUSION } : query;
}

const ALL_PARTS: readonly PartNumber[] = Object.values(PARTS);

/** The parts of bulletins from which an answer is made; null for one that is made of rows. */
function bulletinPartsOf({ format, inclusion }: FdsnQuery): readonly PartNumber[] | null {
  if (isOfWholeEvents(format)) return ALL_PARTS;
  if (inclusion === null) return null;
  const { arrivals, picks, amplitudes, stationMagnitudes, everything } = inclusion;
  const withAmplitudes = amplitudes || stationMagnitudes || everything;
  return [
    PARTS.head,
    // Amplitudes bring their picks.
    ...(arrivals || picks || withAmplitudes ? [PARTS.picks] : []),
    ...(withAmplitudes ? [PARTS.amplitudes] : []),
  ];
}

function wantsMembers({ inclusion }: FdsnQuery): boolean {
  if (inclusion === null) return false;
  return inclusion.allOrigins || inclusion.allMagnitudes || inclusion.everything;
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
