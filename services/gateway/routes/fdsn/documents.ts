import { FDSN_VERSION } from "#contracts/fdsn/formats.ts";
import type { Operations } from "#contracts/http/operations.ts";
import {
  applicationJson,
  catalogsXml,
  contributorsXml,
} from "#infra/formats/fdsn/service-documents.ts";
import { wadl } from "#infra/formats/fdsn/wadl.ts";
import { publicCatalogueNames } from "#projections/queries/catalogues/catalogue-queries.ts";
import type { KnownValues, ReadKnownValues } from "#projections/queries/events/known-values.ts";
import type { Handler, TextAnswer } from "../../http/handler.ts";
import {
  facadeTarget,
  NO_CHOICE,
  serviceOf,
  type TargetCall,
  type TargetDeps,
} from "./facade-target.ts";

export type DocumentDeps = TargetDeps & { readonly knownValues: ReadKnownValues };

/** The lists of a service's values; at the root without a catalogue of its own there are none. */
type ServiceValues = KnownValues & {
  readonly catalogs: readonly string[];
  readonly isPublic: boolean;
};

const NONE: KnownValues = { agencies: [], magnitudeTypes: [] };

async function valuesOf(deps: DocumentDeps, call: TargetCall): Promise<ServiceValues> {
  const isRoot = call.params.id === undefined;
  const catalogs = isRoot ? await publicCatalogueNames(deps.pool) : null;
  if (isRoot && deps.fdsnCatalogue === null) {
    return { ...NONE, catalogs: catalogs ?? [], isPublic: true };
  }
  const { catalogue, version, isPublic } = await facadeTarget(deps, call, NO_CHOICE);
  const values = await deps.knownValues(version);
  return { ...values, catalogs: catalogs ?? [catalogue.name], isPublic };
}

const XML = "application/xml";
const TEXT = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

export function fdsnCatalogsHandler(deps: DocumentDeps): Handler<Operations["fdsnCatalogs"]> {
  return async (call) => {
    const { catalogs, isPublic } = await valuesOf(deps, call);
    return document(XML, catalogsXml(catalogs), isPublic);
  };
}

export function fdsnContributorsHandler(
  deps: DocumentDeps,
): Handler<Operations["fdsnContributors"]> {
  return async (call) => {
    const { agencies, isPublic } = await valuesOf(deps, call);
    return document(XML, contributorsXml(agencies), isPublic);
  };
}

export function fdsnApplicationJsonHandler(
  deps: DocumentDeps,
): Handler<Operations["fdsnApplicationJson"]> {
  return async (call) => {
    const { agencies: contributors, isPublic, ...values } = await valuesOf(deps, call);
    return document(JSON_TYPE, applicationJson({ ...values, contributors }), isPublic);
  };
}

export function fdsnVersionHandler(deps: DocumentDeps): Handler<Operations["fdsnVersion"]> {
  return async (call) => {
    const { isPublic } = await placeOf(deps, call);
    return document(TEXT, FDSN_VERSION, isPublic);
  };
}

export function fdsnWadlHandler(deps: DocumentDeps): Handler<Operations["fdsnWadl"]> {
  return async (call) => {
    const { service, isPublic } = await placeOf(deps, call);
    return document(XML, wadl(service), isPublic);
  };
}

/** Where the service is. At the root it has no catalogue. */
async function placeOf(
  deps: DocumentDeps,
  call: TargetCall,
): Promise<{ readonly service: string; readonly isPublic: boolean }> {
  if (call.params.id === undefined) return { service: serviceOf(deps, call), isPublic: true };
  return facadeTarget(deps, call, NO_CHOICE);
}

function document(contentType: string, text: string, isPublic: boolean): TextAnswer {
  return { contentType, text, isPublic };
}
