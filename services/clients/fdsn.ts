import { Refusal } from "#contracts/errors.ts";
import { type FdsnQuery, NO_INCLUSION, parseFdsnQuery } from "#contracts/fdsn/query.ts";
import type { Operations } from "#contracts/http/table/operations.ts";
import { PARTS, type PartNumber } from "#infra/bulletins/packed-bulletin.ts";
import { listedName } from "#infra/formats/delimited/fdsn-text.ts";
import { FACADE_FORMATS, isOfWholeEvents } from "#infra/formats/facade/facade-formats.ts";
import {
  applicationJson,
  COUNT_DOCUMENTS,
  catalogsXml,
  contributorsXml,
  wadl,
} from "#infra/formats/facade/fdsn-documents.ts";
import { FDSN_VERSION } from "#infra/formats/facade-row.ts";
import { publicCatalogueNames } from "#projections/read/catalogues.ts";
import {
  type FacadeFilters,
  type FacadeSelection,
  type KnownValues,
  type ReadKnownValues,
  versionCommittedBy,
} from "#projections/read/clients.ts";
import type { ResolvedVersion } from "#projections/read/versions.ts";
import type { EventReads } from "#projections/read/walk.ts";
import type { Answer, Call, Handlers, TextAnswer } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { contentTag } from "../headers.ts";
import { readsFor, type SearchCall } from "../turns.ts";
import {
  type Counting,
  countAll,
  type FacadeTarget,
  type FindDeps,
  facadeAnswer,
  facadeTarget,
  findEvents,
  HEAD_FOR_CALLER,
  headOf,
  NO_CHOICE,
  NO_EVENTS,
  requireNotRemoved,
  serviceOf,
  type TargetCall,
  type TargetDeps,
  type WantedEvents,
  wantedEvents,
  within,
} from "./facade.ts";

export const handlersOfEventService = (deps: HandlerDeps) =>
  ({
    fdsnQuery: async (call) => {
      const query = asShown(readQuery(call, "query", call.params.format));
      const { format } = query;
      const target = await facadeTarget(deps, call, query);
      const counting = COUNTED[format] ?? "none";
      const wanted = selects(target, query) ? await wantedOf(deps, target, query, call) : null;
      const events =
        wanted === null
          ? NO_EVENTS
          : await findEvents(
              deps,
              await selectionOf(
                { ...deps, reads: readsFor(deps.reads, call) },
                target,
                { query, wanted },
                call,
              ),
              call,
              counting,
            );
      if (events.count === 0 && WITHOUT_COLLECTION.has(format)) return noData(query, target);
      const isDetail = format === "geojson" && query.eventIds !== null && events.count === 1;
      const request = deps.publicBaseUrl + call.url;
      const answer = facadeAnswer(target, { request }, query);
      return {
        ...(wantsMembers(query) || wanted?.isOfHistory ? HEAD_FOR_CALLER : headOf(target)),
        contentType: FACADE_FORMATS[format].contentType,
        ...events.write(isDetail ? "detail" : format, answer),
      };
    },

    fdsnCount: async (call) => {
      const query = readQuery(call, "count", undefined);
      const target = await facadeTarget(deps, call, query);
      const { version } = target;
      const reads = readsFor(deps.reads, call);
      const wanted = selects(target, query)
        ? await wantedEvents(deps, target, query, call.reader)
        : null;
      const all =
        wanted === null
          ? 0
          : await countAll(
              reads,
              version,
              await filtersOf({ ...deps, reads }, version, { query, wanted }),
            );
      const { contentType, write } = COUNT_DOCUMENTS[query.format as keyof typeof COUNT_DOCUMENTS];
      const head = wanted?.isOfHistory ? HEAD_FOR_CALLER : headOf(target);
      return { ...head, contentType, text: write(within(all, query)) };
    },

    fdsnCatalogs: async (call) => {
      const { catalogs, keeping } = await valuesOf(deps, call);
      return document(XML, catalogsXml(catalogs), keeping);
    },

    fdsnContributors: async (call) => {
      const { agencies, keeping } = await valuesOf(deps, call);
      return document(XML, contributorsXml(agencies), keeping);
    },

    fdsnVersion: async (call) => {
      return document(TEXT, FDSN_VERSION, await placeOf(deps, call));
    },

    fdsnWadl: async (call) => {
      const place = await placeOf(deps, call);
      return document(XML, wadl(place.service), place);
    },

    fdsnApplicationJson: async (call) => {
      const { agencies: contributors, keeping, ...values } = await valuesOf(deps, call);
      return document(JSON_TYPE, applicationJson({ ...values, contributors }), keeping);
    },
  }) satisfies Partial<Handlers>;

type DocumentDeps = TargetDeps & {
  readonly reads: EventReads;
  readonly knownValues: ReadKnownValues;
};

/** The lists of a service's values; at the root without a catalogue of its own there are none. */
type ServiceValues = KnownValues & {
  readonly catalogs: readonly string[];
  readonly keeping: Keeping;
};

/** Who may keep an answer, and whether it stays as it is. */
type Keeping = Pick<FacadeTarget, "isPublic" | "isVersioned" | "keptUntil">;

const AT_ROOT: Keeping = { isPublic: true, isVersioned: false, keptUntil: undefined };
const NONE: KnownValues = { agencies: [], magnitudeTypes: [] };

async function valuesOf(deps: DocumentDeps, call: TargetCall & SearchCall): Promise<ServiceValues> {
  const isRoot = call.params.id === undefined;
  const catalogs = isRoot ? await publicCatalogueNames(deps.pool, call.reader) : null;
  if (isRoot && deps.fdsnCatalogue === null) {
    return { ...NONE, catalogs: catalogs ?? [], keeping: AT_ROOT };
  }
  const { catalogue, version, ...keeping } = await facadeTarget(deps, call, NO_CHOICE);
  const values = await deps.knownValues(readsFor(deps.reads, call), version);
  if (catalogs === null) return { ...values, catalogs: [catalogue.name], keeping };
  // A list of all catalogues follows from more than this one.
  return { ...values, catalogs, keeping: { ...keeping, keptUntil: undefined } };
}

const XML = "application/xml";
const TEXT = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

/** Where the service is. At the root it has no catalogue. */
async function placeOf(
  deps: DocumentDeps,
  call: TargetCall,
): Promise<Keeping & { readonly service: string }> {
  if (call.params.id === undefined) return { service: serviceOf(deps, call), ...AT_ROOT };
  return facadeTarget(deps, call, NO_CHOICE);
}

function document(
  contentType: string,
  text: string,
  { isPublic, isVersioned, keptUntil }: Keeping,
): TextAnswer {
  const headers = { etag: contentTag(text) };
  return { contentType, text, headers, isPublic, isVersioned, keptUntil };
}

/** Formats in which clients expect no content for no events; in the others an empty collection. */
const WITHOUT_COLLECTION: ReadonlySet<Format> = new Set(["xml", "text", "isf", "sc3ml"]);

/** Formats that tell when an event was last changed. */
const DATED: ReadonlySet<Format> = new Set(["geojson", "csv", "json"]);

const ALL_PARTS: readonly PartNumber[] = Object.values(PARTS);

/** Formats whose head tells numbers of events; EMSC's that of all that match, by which clients page. */
const COUNTED: Readonly<Partial<Record<Format, Counting>>> = { geojson: "answer", json: "all" };

export type FdsnQueryDeps = TargetDeps & FindDeps & { readonly knownValues: ReadKnownValues };

type Query = Operations["fdsnQuery"];
type Format = FdsnQuery["format"];

/** @throws Refusal GONE where a removed event is meant */
async function wantedOf(
  deps: FdsnQueryDeps,
  target: FacadeTarget,
  query: FdsnQuery,
  { reader }: Pick<Call<Query>, "reader">,
): Promise<WantedEvents> {
  const wanted = await wantedEvents(deps, target, query, reader);
  await requireNotRemoved(deps, target, wanted, reader);
  return wanted;
}

/** @throws Refusal VALIDATION_ERROR that names the parameter */
function readQuery(
  { query: raw, regionArea }: Pick<Call<Query>, "query" | "regionArea">,
  method: "query" | "count",
  format: string | undefined,
): FdsnQuery {
  const parsing = parseFdsnQuery(raw, { method, format });
  if (parsing.ok) {
    const { query } = parsing;
    return regionArea ? { ...query, filters: { ...query.filters, regionArea } } : query;
  }
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

type Asked = { readonly query: FdsnQuery; readonly wanted: WantedEvents };

async function filtersOf(
  { lookups, reads, knownValues }: FdsnQueryDeps,
  version: ResolvedVersion,
  { query, wanted: { eventIds, deleted } }: Asked,
): Promise<Omit<FdsnQuery, "contributor" | "eventIds"> & FacadeFilters> {
  const { updatedAfter } = query;
  const changedAfter =
    updatedAfter === null ? null : await versionCommittedBy(lookups, version, updatedAfter);
  return { ...query, eventIds, deleted, changedAfter, contributor: await contributorsOf() };

  /** The agencies that are listed so, which differ in what no list can hold. */
  async function contributorsOf(): Promise<readonly string[] | null> {
    const { contributor } = query;
    if (contributor === null) return null;
    const { agencies } = await knownValues(reads, version);
    return agencies.filter((agency) => listedName(agency) === listedName(contributor));
  }
}

async function selectionOf(
  deps: FdsnQueryDeps,
  { version }: FacadeTarget,
  asked: Asked,
  { actor }: Pick<Call<Query>, "actor">,
): Promise<FacadeSelection> {
  const { query } = asked;
  const readable = actor === null ? "public" : "all";
  const members = wantsMembers(query) ? readable : "none";
  const filters = await filtersOf(deps, version, asked);
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

/** @throws Refusal NOT_FOUND where the client asks for 404 */
function noData({ noData: status, format }: FdsnQuery, target: FacadeTarget): Answer<Query> {
  if (status === 404) throw new Refusal("NOT_FOUND", "No events match the query");
  const { contentType } = FACADE_FORMATS[format];
  return { ...headOf(target), status, contentType, text: "" };
}
