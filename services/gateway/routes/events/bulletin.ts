import { bulletinOfRow } from "#contracts/bulletin/bulletin-of-row.ts";
import { selectedParts } from "#infra/formats/bulletin/selected-parts.ts";
import { staying } from "#infra/kernel/asker.ts";
import { readBulletin } from "#projections/queries/bulletins/read-bulletin.ts";
import { isPublicVersion } from "#projections/queries/events/resolve-version.ts";
import { readEvent } from "#projections/queries/events/single-event.ts";
import {
  removeBulletinCommand,
  setBulletinCommand,
} from "#services/commands/catalogues/set-bulletin.ts";
import { eventsUnchanged, versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";
import { eventBody } from "./read-event.ts";

export const getBulletinHandler: MakeHandler<"getBulletin", "pool" | "lookups"> =
  ({ pool, lookups }) =>
  async ({ params: { id: catalogueId, eventId }, query: { asOf, parts }, isGuest }) => {
    const { event, version } = await readEvent(lookups, { catalogueId, eventId, asOf, isGuest });
    const own =
      event.bulletin_sha256 === undefined
        ? null
        : await readBulletin(pool, version.id, event.id, version.version);
    const source = own === null ? "row" : "bulletin";
    const whole = own ?? bulletinOfRow(event);
    const bulletin = parts === undefined ? whole : selectedParts(whole, new Set(parts));
    return {
      body: { bulletin, version: version.version, source },
      headers: { etag: versionTag(version.version) },
      isPublic: isPublicVersion(version),
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
