import { Refusal } from "#contracts/errors.ts";
import { EXPORT_FORMATS } from "#contracts/http/catalogue-export.ts";
import type { ExportedCatalogue } from "#infra/formats/format-writer.ts";
import { whileAsked } from "#infra/postgres/statements.ts";
import {
  catalogueById,
  listMembers,
  listShares,
  withoutRights,
} from "#projections/read/catalogues.ts";
import { countExported, exportedBytes } from "#projections/read/exports.ts";
import { type ResolvedVersion, resolveVersion } from "#projections/read/versions.ts";
import {
  deleteCatalogueCommand,
  updateCatalogueCommand,
} from "#services/commands/catalogues/change-catalogue.ts";
import { removeMemberCommand, setMemberCommand } from "#services/commands/catalogues/members.ts";
import {
  endShareCommand,
  shareCatalogueCommand,
} from "#services/commands/catalogues/share-catalogue.ts";
import { effectiveRight, mayOwn } from "#services/domain/catalogues/access.ts";
import { type VersionHistory, versionOf } from "#services/domain/versions.ts";
import { exportForm } from "../../files/export-form.ts";
import { acceptedFormat, attachment } from "../../files/export-headers.ts";
import { catalogueUnchanged, versionTag } from "../../http/headers/etag.ts";
import { requireLicense } from "../../http/require-license.ts";
import { room } from "../../http/room.ts";
import type { MakeHandler } from "../make-handler.ts";
import { versionHeaders } from "../versions/version-links.ts";
import { createCatalogueHandler } from "./create-catalogue.ts";
import {
  getCatalogueHandler,
  listCataloguesHandler,
  listVersionsHandler,
} from "./read-catalogues.ts";

const exportCatalogueHandler: MakeHandler<
  "exportCatalogue",
  "lookups" | "exportPool" | "exporter" | "now" | "versionHistories" | "publicBaseUrl"
> =
  ({ lookups, exportPool, exporter, now, versionHistories, publicBaseUrl }) =>
  async ({ params, query, reader, accept, turn, asker }) => {
    await turn("exports");
    const {
      format = acceptedFormat(accept),
      orderBy = "time",
      asOf,
      table = "events",
      include,
      detail,
      form,
      ...filters
    } = query;
    const written = exportForm({ format, table, include, detail, form });
    const request = { catalogueId: params.id, asOf, reader };
    const version = await resolveVersion(lookups, request);
    const found = await catalogueById(lookups, params.id, reader);
    if (found === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
    const catalogue = withoutRights(found);
    // As long as the export itself takes, it may.
    const counting = whileAsked(exportPool, asker.signal);
    const count = await countExported(counting, { version, filters });
    const history = await versionHistories.read(version.id);
    const links = history && linksOf(publicBaseUrl, version, history);
    const exported = {
      catalogue,
      version: version.version,
      exportedAt: now().toISOString(),
      isRedacted: version.hidden !== null,
    };
    const selection = { version, filters, order: orderBy, ...written.columns };
    return {
      contentType: EXPORT_FORMATS[format].contentType,
      headers: { ...headersOf(exported, written.extension, count), ...links },
      open: () =>
        exporter.write(
          written.taskOf(exported, count),
          (copyForm) => exportedBytes(exportPool, selection, asker.signal, copyForm),
          asker,
        ),
    };
  };

/** How the version of a file is cited; null of the empty catalogue. */
function linksOf(base: string, { id, version }: ResolvedVersion, history: VersionHistory) {
  const entry = versionOf(history, version);
  if (entry === undefined) return null;
  const catalogueAddress = `${base}/api/catalogues/${id}`;
  const address = `${catalogueAddress}/versions/${version}`;
  const { committedAt } = entry;
  const { metadata } = history;
  return versionHeaders({ address, catalogueAddress, committedAt, version, metadata });
}

function headersOf({ catalogue, version }: ExportedCatalogue, extension: string, count: number) {
  return {
    etag: versionTag(version),
    vary: "Accept",
    "content-disposition": attachment(catalogue.name, version, extension),
    "x-export-event-count": String(count),
  };
}

const createShareHandler: MakeHandler<"createShare", "context" | "publicBaseUrl"> =
  ({ context, publicBaseUrl }) =>
  async ({ params, body, command }) => {
    const { label = null, expiresInDays = null } = body;
    const wanted = { label, expiresInDays };
    const made = await shareCatalogueCommand(context, command, params.id, wanted);
    const shares = await listShares(context.pool, params.id);
    const share = shares.find(({ id }) => id === made.shareId);
    if (share === undefined) throw new Refusal("NOT_FOUND", "The share was ended meanwhile");
    return {
      body: { share: { ...share, url: `${publicBaseUrl}/api/share/${made.secret}` } },
      headers: { location: `/api/catalogues/${params.id}/shares` },
      isSecret: true,
    };
  };

const listSharesHandler: MakeHandler<"listShares", "pool" | "lookups"> =
  ({ pool, lookups }) =>
  async ({ params, reader }) => {
    const catalogue = await catalogueById(lookups, params.id, reader);
    if (catalogue === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
    return { body: { shares: [...(await listShares(pool, params.id))] } };
  };

const endShareHandler: MakeHandler<"endShare"> =
  ({ context }) =>
  async ({ params, command }) => {
    await endShareCommand(context, command, params.id, params.shareId);
    return { body: { success: true } };
  };

const updateCatalogueHandler: MakeHandler<"updateCatalogue"> =
  ({ context }) =>
  async ({ params, body, actor, facts, command, ifMatch }) => {
    const { name, is_public: isPublic, publishHistory, access, editing, metadata } = body;
    const given = [name, isPublic, access, editing, metadata];
    const isEmpty = given.every((one) => one === undefined);
    if (isEmpty) throw new Refusal("MISSING_NAME");
    requireLicense(metadata);
    const change = {
      isByOwner: facts !== null && mayOwn(actor.role, facts),
      ...(name !== undefined && { name }),
      ...(isPublic !== undefined && { isPublic }),
      ...(access !== undefined && { access }),
      ...(editing !== undefined && { editing }),
      ...(publishHistory !== undefined && { publishHistory }),
      ...(metadata !== undefined && { metadata }),
    };
    await updateCatalogueCommand(context, command, params.id, change, catalogueUnchanged(ifMatch));
    return { body: { success: true } };
  };

const deleteCatalogueHandler: MakeHandler<"deleteCatalogue"> =
  ({ context }) =>
  async ({ params, command, ifMatch }) => {
    await deleteCatalogueCommand(context, command, params.id, catalogueUnchanged(ifMatch));
    return { body: { success: true } };
  };

const listMembersHandler: MakeHandler<"listMembers", "pool"> =
  ({ pool }) =>
  async ({ params }) => ({ body: { members: [...(await listMembers(pool, params.id))] } });

const getRightHandler: MakeHandler<"getRight", never> =
  () =>
  async ({ actor, facts }) => {
    if (facts === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
    return { body: { right: effectiveRight(actor.role, facts) } };
  };

const setMemberHandler: MakeHandler<"setMember"> =
  ({ context }) =>
  async ({ params, body, command }) => {
    const { id, memberId } = params;
    await setMemberCommand(context, command, id, memberId, body.right);
    const members = await listMembers(context.pool, id);
    const member = members.find((one) => one.id === memberId);
    if (member === undefined) throw new Refusal("NOT_FOUND", "The member was removed meanwhile");
    return { body: { member } };
  };

const removeMemberHandler: MakeHandler<"removeMember"> =
  ({ context }) =>
  async ({ params, command }) => {
    await removeMemberCommand(context, command, params.id, params.memberId);
    return { body: { success: true } };
  };

export const handlersOfCatalogues = room({
  listCatalogues: listCataloguesHandler,
  createCatalogue: createCatalogueHandler,
  getCatalogue: getCatalogueHandler,
  updateCatalogue: updateCatalogueHandler,
  deleteCatalogue: deleteCatalogueHandler,
  exportCatalogue: exportCatalogueHandler,
  listVersions: listVersionsHandler,
  createShare: createShareHandler,
  listShares: listSharesHandler,
  endShare: endShareHandler,
  listMembers: listMembersHandler,
  getRight: getRightHandler,
  setMember: setMemberHandler,
  removeMember: removeMemberHandler,
});
