import { bulletinOfRow } from "#contracts/bulletin/bulletin-of-row.ts";
import { invalid, Refusal } from "#contracts/errors.ts";
import { selectedParts } from "#infra/formats/bulletin/selected-parts.ts";
import { staying } from "#infra/kernel/asker.ts";
import { readBulletin } from "#projections/queries/bulletins/read-bulletin.ts";
import { catalogueById } from "#projections/queries/catalogues/catalogue-queries.ts";
import { isPublicVersion } from "#projections/queries/events/resolve-version.ts";
import { readEvent } from "#projections/queries/events/single-event.ts";
import {
  removeBulletinCommand,
  setBulletinCommand,
} from "#services/commands/catalogues/set-bulletin.ts";
import { eventsUnchanged, formTag, versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";
import { acceptedBulletinFormat, bulletinText } from "./bulletin-text.ts";
import { eventBody } from "./read-event.ts";

export const getBulletinHandler: MakeHandler<"getBulletin", "pool" | "lookups" | "now"> =
  ({ pool, lookups, now }) =>
  async ({ params: { id: catalogueId, eventId }, query, accept, isGuest }) => {
    const { asOf, parts, format = acceptedBulletinFormat(accept), form } = query;
    if (form !== undefined && format !== "quakeml") throw invalid("form", "is of quakeml only");
    const { event, version } = await readEvent(lookups, { catalogueId, eventId, asOf, isGuest });
    const own =
      event.bulletin_sha256 === undefined
        ? null
        : await readBulletin(pool, version.id, event.id, version.version);
    const source = own === null ? "row" : "bulletin";
    const whole = own ?? bulletinOfRow(event);
    const bulletin = parts === undefined ? whole : selectedParts(whole, new Set(parts));
    const isPublic = isPublicVersion(version);
    if (format === "json") {
      const headers = { etag: versionTag(version.version), vary: "Accept" };
      return { body: { bulletin, version: version.version, source }, headers, isPublic };
    }
    const catalogue = await catalogueById(lookups, version.id);
    if (catalogue === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
    const exported = { catalogue, version: version.version, exportedAt: now().toISOString() };
    return {
      ...bulletinText(format, bulletin, { exported, eventId: event.id, form: form ?? "valid" }),
      headers: { etag: formTag(version.version, format), vary: "Accept" },
      isPublic,
    };
  };

export const setBulletinHandler: MakeHandler<"setBulletin", "context" | "submissions"> =
  ({ context, submissions }) =>
  async ({ params: { id, eventId }, body, command, ifMatch, asker }) => {
    const { event, version } = await setBulletinCommand(
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
    return { body: { event: eventBody(event), version }, headers: { etag: versionTag(version) } };
  };

export const removeBulletinHandler: MakeHandler<"removeBulletin"> =
  ({ context }) =>
  async ({ params: { id, eventId }, command, ifMatch }) => {
    const { event, version } = await removeBulletinCommand(
      context,
      command,
      id,
      eventId,
      eventsUnchanged(ifMatch),
    );
    return { body: { event: eventBody(event), version }, headers: { etag: versionTag(version) } };
  };
