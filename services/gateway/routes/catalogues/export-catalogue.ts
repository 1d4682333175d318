import { Refusal } from "#contracts/errors.ts";
import { EXPORT_FORMATS } from "#contracts/http/catalogue-export.ts";
import type { ExportedCatalogue } from "#infra/formats/format-writer.ts";
import { whileAsked } from "#infra/postgres/asked-pool.ts";
import { catalogueById, withoutRights } from "#projections/queries/catalogues/catalogue-queries.ts";
import { countExported, exportedBytes } from "#projections/queries/events/export-events.ts";
import {
  type ResolvedVersion,
  resolveVersion,
} from "#projections/queries/events/resolve-version.ts";
import { type VersionHistory, versionOf } from "#services/domain/catalogue/version-history.ts";
import { exportForm } from "../../files/export-form.ts";
import { acceptedFormat, attachment } from "../../files/export-headers.ts";
import { versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";
import { versionHeaders } from "../versions/version-links.ts";

export const exportCatalogueHandler: MakeHandler<
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
