import { NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import { Refusal } from "#contracts/errors.ts";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogue.ts";
import { catalogueById, listCatalogues, listVersions } from "#projections/read/catalogues.ts";
import type { Reader } from "#projections/read/rights.ts";
import { firstReadable, resolveVersion } from "#projections/read/versions.ts";
import { following } from "../../http/answer-body.ts";
import { acceptedType } from "../../http/headers/accepted-type.ts";
import { catalogueTag, changesTag, guestTag, versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";
import { LINK_FORMAT, timeMap } from "../versions/time-map.ts";

export const listCataloguesHandler: MakeHandler<"listCatalogues", "pool"> =
  ({ pool }) =>
  async ({ query, reader, isGuest }) => {
    const { catalogues, total } = await listCatalogues(pool, query, reader);
    const { page, pageSize } = query;
    return {
      body: {
        catalogues: isGuest ? catalogues.map(guestView) : [...catalogues],
        total,
        page,
        pageSize,
      },
      // Signed-in callers see more of private catalogues.
      isPublic: isGuest,
    };
  };

export const getCatalogueHandler: MakeHandler<"getCatalogue", "lookups"> =
  ({ lookups }) =>
  async ({ params, reader, isGuest }) => {
    const catalogue = await catalogueById(lookups, params.id, reader);
    if (catalogue === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
    return {
      body: isGuest ? guestView(catalogue) : forReader(catalogue, reader),
      headers: { etag: isGuest ? guestTag(catalogue) : catalogueTag(catalogue) },
      // Who made it is for signed-in callers.
      isPublic: isGuest && catalogue.is_public,
    };
  };

/** As JSON, or as a time map where the client prefers one. */
export const listVersionsHandler: MakeHandler<
  "listVersions",
  "pool" | "lookups" | "publicBaseUrl"
> =
  ({ pool, lookups, publicBaseUrl }) =>
  async ({ params, query, reader, isGuest, accept }) => {
    const latest = await resolveVersion(lookups, { catalogueId: params.id, reader });
    const from = firstReadable(latest, isGuest);
    const { rows: versions, nextCursor } = await listVersions(pool, latest, from, query);
    const etag = isGuest ? changesTag(latest.version, from) : versionTag(latest.version);
    // Who made a version is for signed-in callers.
    const isPublic = isGuest && latest.publicFrom !== null;
    const head = { headers: { etag, vary: "Accept" }, isPublic };
    if (acceptedType(accept, ["application/json", LINK_FORMAT]) === LINK_FORMAT) {
      const address = `${publicBaseUrl}/api/catalogues/${latest.id}`;
      return {
        ...head,
        contentType: LINK_FORMAT,
        text: timeMap(address, versions, query.cursor, nextCursor),
      };
    }
    const list = reader.kind === "user" ? [...versions] : versions.map(withoutActor);
    return { ...head, body: { versions: list, ...following(nextCursor) } };
  };

/**
 * A catalogue as guests see it: without its creator, and a private one also without times and places
 * of its events and the sources of its merge. With few events, bounds would reveal each of them.
 */
function guestView(catalogue: Catalogue): Catalogue {
  const byNobody = { ...catalogue, created_by: null };
  if (catalogue.is_public) return byNobody;
  const hidden = { ...NO_BOUNDS, bbox: null, metadata: null };
  return { ...byNobody, ...hidden, merge_config: null, source_catalogues: null };
}

/** Below a share nothing is told of who made what. */
function forReader(catalogue: Catalogue, { kind }: Reader): Catalogue {
  return kind === "share" ? { ...catalogue, created_by: null } : catalogue;
}

function withoutActor(version: CatalogueVersion): CatalogueVersion {
  return { ...version, actor: null };
}
