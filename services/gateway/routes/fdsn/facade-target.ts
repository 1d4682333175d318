import type { DatabasePool } from "slonik";
import { invalid, Refusal } from "#contracts/errors.ts";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { FdsnParams } from "#contracts/http/clients/fdsn-event.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { catalogueById, catalogueNamed } from "#projections/read/catalogues.ts";
import type { Reader } from "#projections/read/rights.ts";
import {
  isPublicVersion,
  type ResolvedVersion,
  resolveVersion,
} from "#projections/read/versions.ts";
import { facadeTag } from "../../http/headers/etag.ts";

/** What a request to the event service reads. */
export type FacadeTarget = {
  readonly catalogue: Catalogue;
  readonly version: ResolvedVersion;
  /** Base address of the event service for links in answers. */
  readonly service: string;
  /** Address of the catalogue, or of its share. */
  readonly address: string;
  /** Entity tag of what is read of the version. */
  readonly tag: string;
  readonly isPublic: boolean;
  /** Whether the address names a version that no later one can take the place of. */
  readonly isVersioned: boolean;
};

export type TargetDeps = {
  readonly pool: DatabasePool;
  readonly lookups: Lookups;
  readonly publicBaseUrl: string;
  /** Read at the root where the parameter `catalog` names none; null for none. */
  readonly fdsnCatalogue: string | null;
  readonly now: () => Date;
};

export type TargetCall = {
  readonly params: FdsnParams;
  readonly reader: Reader;
  readonly url: string;
};

/** The parameters that choose a catalogue and a version. */
export type TargetQuery = { readonly catalog: string | null; readonly asOf: string | null };

export const NO_CHOICE: TargetQuery = { catalog: null, asOf: null };

const SERVICE = "/fdsnws/event/1";
/** Younger versions may not be visible yet. */
const SETTLED_MS = 60_000;

/**
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED for a guest at a private or unknown catalogue, VALIDATION_ERROR when
 * nothing names a catalogue, or two things a version
 */
export async function facadeTarget(
  deps: TargetDeps,
  { params, reader, url }: TargetCall,
  query: TargetQuery,
): Promise<FacadeTarget> {
  const { lookups, publicBaseUrl } = deps;
  const pinned = params.version ?? params.at;
  if (pinned !== undefined && query.asOf !== null) {
    throw invalid("asof", "the address names a version already");
  }
  const catalogueId = params.id ?? (await catalogueAtRoot(deps, query.catalog, reader));
  const asOf = pinned ?? query.asOf ?? undefined;
  const reading = resolveVersion(lookups, { catalogueId, asOf, reader });
  // Both at once, but what is wrong with the catalogue is told first.
  reading.catch(() => undefined);
  const catalogue = await catalogueById(lookups, catalogueId, reader);
  if (catalogue === null) throw notThere(reader);
  const version = await reading;
  const base = params.id === undefined ? `/api/catalogues/${catalogueId}` : baseOf(url);
  return {
    catalogue,
    version,
    service: publicBaseUrl + base + SERVICE,
    address: `${publicBaseUrl}${base.replace(/\/(?:versions|at)\/[^/]*$/, "")}`,
    tag: facadeTag(version, catalogue.name),
    isPublic: isPublicVersion(version),
    isVersioned: isSettled(params, deps.now()),
  };
}

/** Guests are asked who they are before they learn which catalogues there are. */
function notThere(reader: Reader): Refusal {
  if (reader.kind === "guest") return new Refusal("UNAUTHENTICATED");
  return new Refusal("NOT_FOUND", "Catalogue not found");
}

/** Base address of the service that a request has reached. */
export function serviceOf(
  { publicBaseUrl }: Pick<TargetDeps, "publicBaseUrl">,
  { url }: Pick<TargetCall, "url">,
): string {
  return publicBaseUrl + baseOf(url) + SERVICE;
}

async function catalogueAtRoot(
  { pool, fdsnCatalogue }: TargetDeps,
  named: string | null,
  reader: Reader,
): Promise<string> {
  if (named !== null) return catalogueNamed(pool, named, reader);
  if (fdsnCatalogue !== null) return fdsnCatalogue;
  throw invalid("catalog", "is required here: the id or the name of a public catalogue");
}

/** What lies below a base. */
const BELOW = [`${SERVICE}/`, "/feed/v1.0/"];

/** The path before the service or the feeds. */
function baseOf(url: string): string {
  const path = url.replace(/\?.*/s, "");
  const ends = BELOW.map((below) => path.indexOf(below)).filter((end) => end >= 0);
  return path.slice(0, Math.min(...ends));
}

function isSettled({ version, at }: FdsnParams, now: Date): boolean {
  if (version !== undefined) return true;
  return at !== undefined && Date.parse(at) < now.getTime() - SETTLED_MS;
}
