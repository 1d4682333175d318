import { bulletinOfRow } from "#contracts/bulletin/bulletin-of-row.ts";
import { invalid, Refusal } from "#contracts/errors.ts";
import type { BulletinFormat } from "#contracts/http/bulletins/bulletins.ts";
import { staying } from "#infra/kernel/fair-queue.ts";
import { readPieces } from "#projections/read/bulletins.ts";
import { catalogueById, withoutRights } from "#projections/read/catalogues.ts";
import { readEvent } from "#projections/read/events.ts";
import { isPublicVersion } from "#projections/read/versions.ts";
import {
  removeBulletinCommand,
  setBulletinCommand,
} from "#services/commands/catalogues/set-bulletin.ts";
import { acceptedType } from "../../http/headers/accepted-type.ts";
import { eventsUnchanged, formTag, versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";
import { changedEvent } from "./read-event.ts";

const CONTENT_TYPES: Readonly<Record<BulletinFormat, string>> = {
  json: "application/json; charset=utf-8",
  quakeml: "application/xml",
  isf: "text/plain; charset=utf-8",
};

/** JSON first: it is the answer to whoever accepts anything. */
const BY_MEDIA_TYPE: ReadonlyMap<string, BulletinFormat> = new Map([
  ["application/json", "json"],
  ["application/xml", "quakeml"],
  ["text/plain", "isf"],
]);

/** The format that `Accept` prefers; JSON when it accepts none of them. */
function acceptedBulletinFormat(accept: string | undefined): BulletinFormat {
  const type = acceptedType(accept, [...BY_MEDIA_TYPE.keys()]);
  return BY_MEDIA_TYPE.get(type ?? "") ?? "json";
}

export const getBulletinHandler: MakeHandler<
  "getBulletin",
  "pool" | "lookups" | "now" | "exporter"
> =
  ({ pool, lookups, now, exporter }) =>
  async ({ params: { id: catalogueId, eventId }, query, accept, reader, asker }) => {
    const { asOf, parts, format = acceptedBulletinFormat(accept), form } = query;
    if (form !== undefined && format !== "quakeml") throw invalid("form", "is of quakeml only");
    const { event, version } = await readEvent(lookups, { catalogueId, eventId, asOf, reader });
    const pieces =
      event.bulletin_sha256 === undefined
        ? null
        : await readPieces(pool, version.id, event.id, version.version);
    const catalogue = await catalogueById(lookups, version.id, reader);
    if (catalogue === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
    const task = {
      source: pieces ?? bulletinOfRow(event),
      bytes: pieces === null ? 0 : (event.bulletin_counts?.bytes ?? 0),
      parts: parts ?? null,
      format,
      form: form ?? "valid",
      exported: {
        catalogue: withoutRights(catalogue),
        version: version.version,
        exportedAt: now().toISOString(),
      },
      eventId: event.id,
    };
    const etag = format === "json" ? versionTag : (of: number) => formTag(of, format);
    return {
      contentType: CONTENT_TYPES[format],
      headers: { etag: etag(version.version), vary: "Accept" },
      isPublic: isPublicVersion(version),
      open: () => exporter.writeDocument(task, asker),
    };
  };

export const setBulletinHandler: MakeHandler<"setBulletin", "context" | "submissions"> =
  ({ context, submissions }) =>
  async ({ params: { id, eventId }, hidden, body, command, ifMatch, asker }) => {
    const changed = await setBulletinCommand(
      context,
      command,
      id,
      eventId,
      {
        against: (target, use) =>
          submissions.asReplacement({ bytes: body, eventId }, target, staying(asker), use),
      },
      eventsUnchanged(ifMatch),
    );
    return changedEvent(changed, hidden);
  };

export const removeBulletinHandler: MakeHandler<"removeBulletin"> =
  ({ context }) =>
  async ({ params: { id, eventId }, hidden, command, ifMatch }) => {
    const changed = await removeBulletinCommand(
      context,
      command,
      id,
      eventId,
      eventsUnchanged(ifMatch),
    );
    return changedEvent(changed, hidden);
  };
