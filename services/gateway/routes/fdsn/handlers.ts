import { FDSN_VERSION } from "#contracts/fdsn/formats.ts";
import {
  applicationJson,
  catalogsXml,
  contributorsXml,
  wadl,
} from "#infra/formats/facade/fdsn-documents.ts";
import { publicCatalogueNames } from "#projections/read/catalogues.ts";
import type { KnownValues, ReadKnownValues } from "#projections/read/clients.ts";
import type { EventReads } from "#projections/read/walk.ts";
import { readsFor, type SearchCall } from "../../capacity/searches.ts";
import type { HandlerFrom, TextAnswer } from "../../http/handler.ts";
import { contentTag } from "../../http/headers/etag.ts";
import { room } from "../../http/room.ts";
import {
  type FacadeTarget,
  facadeTarget,
  NO_CHOICE,
  serviceOf,
  type TargetCall,
  type TargetDeps,
} from "./facade-target.ts";
import { fdsnCountHandler, fdsnQueryHandler } from "./query.ts";

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
type Keeping = Pick<FacadeTarget, "isPublic" | "isVersioned">;

const AT_ROOT: Keeping = { isPublic: true, isVersioned: false };
const NONE: KnownValues = { agencies: [], magnitudeTypes: [] };

async function valuesOf(deps: DocumentDeps, call: TargetCall & SearchCall): Promise<ServiceValues> {
  const isRoot = call.params.id === undefined;
  const catalogs = isRoot ? await publicCatalogueNames(deps.pool, call.reader) : null;
  if (isRoot && deps.fdsnCatalogue === null) {
    return { ...NONE, catalogs: catalogs ?? [], keeping: AT_ROOT };
  }
  const { catalogue, version, ...keeping } = await facadeTarget(deps, call, NO_CHOICE);
  const values = await deps.knownValues(readsFor(deps.reads, call), version);
  return { ...values, catalogs: catalogs ?? [catalogue.name], keeping };
}

const XML = "application/xml";
const TEXT = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

const fdsnCatalogsHandler: HandlerFrom<DocumentDeps, "fdsnCatalogs"> = (deps) => async (call) => {
  const { catalogs, keeping } = await valuesOf(deps, call);
  return document(XML, catalogsXml(catalogs), keeping);
};

const fdsnContributorsHandler: HandlerFrom<DocumentDeps, "fdsnContributors"> =
  (deps) => async (call) => {
    const { agencies, keeping } = await valuesOf(deps, call);
    return document(XML, contributorsXml(agencies), keeping);
  };

const fdsnApplicationJsonHandler: HandlerFrom<DocumentDeps, "fdsnApplicationJson"> =
  (deps) => async (call) => {
    const { agencies: contributors, keeping, ...values } = await valuesOf(deps, call);
    return document(JSON_TYPE, applicationJson({ ...values, contributors }), keeping);
  };

const fdsnVersionHandler: HandlerFrom<DocumentDeps, "fdsnVersion"> = (deps) => async (call) => {
  return document(TEXT, FDSN_VERSION, await placeOf(deps, call));
};

const fdsnWadlHandler: HandlerFrom<DocumentDeps, "fdsnWadl"> = (deps) => async (call) => {
  const place = await placeOf(deps, call);
  return document(XML, wadl(place.service), place);
};

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
  { isPublic, isVersioned }: Keeping,
): TextAnswer {
  return { contentType, text, headers: { etag: contentTag(text) }, isPublic, isVersioned };
}

export const handlersOfEventService = room({
  fdsnQuery: fdsnQueryHandler,
  fdsnCount: fdsnCountHandler,
  fdsnCatalogs: fdsnCatalogsHandler,
  fdsnContributors: fdsnContributorsHandler,
  fdsnVersion: fdsnVersionHandler,
  fdsnWadl: fdsnWadlHandler,
  fdsnApplicationJson: fdsnApplicationJsonHandler,
});
