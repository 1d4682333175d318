import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { BulletinFormat } from "#contracts/http/bulletins/bulletins.ts";
import type { QuakemlForm } from "#contracts/http/catalogue-export.ts";
import { compactEventId } from "#contracts/seismic-event/event-id.ts";
import type { ExportedCatalogue } from "#infra/formats/format-writer.ts";
import { createIsfWriter } from "#infra/formats/isf/isf-writer.ts";
import { createQuakemlWriter } from "#infra/formats/quakeml/quakeml-writer.ts";
import { writeBulletin } from "#infra/formats/quakeml/whole/write-bulletin.ts";
import { acceptedType } from "../../http/headers/accepted-type.ts";

/** The texts in which a bulletin is answered, beside JSON. */
type TextFormat = Exclude<BulletinFormat, "json">;

/** JSON first: it is the answer to whoever accepts anything. */
const BY_MEDIA_TYPE: ReadonlyMap<string, BulletinFormat> = new Map([
  ["application/json", "json"],
  ["application/xml", "quakeml"],
  ["text/plain", "isf"],
]);

/** The format that `Accept` prefers; JSON when it accepts none of them. */
export function acceptedBulletinFormat(accept: string | undefined): BulletinFormat {
  const type = acceptedType(accept, [...BY_MEDIA_TYPE.keys()]);
  return BY_MEDIA_TYPE.get(type ?? "") ?? "json";
}

type TextOf = {
  readonly exported: ExportedCatalogue;
  readonly eventId: string;
  readonly form: QuakemlForm;
};

/** One bulletin as a document of its own. */
export function bulletinText(
  format: TextFormat,
  bulletin: Bulletin,
  { exported, eventId, form }: TextOf,
): { readonly contentType: string; readonly text: string } {
  if (format === "isf") {
    const { begin, event, end } = createIsfWriter(exported.catalogue.name);
    return {
      contentType: "text/plain; charset=utf-8",
      text: begin() + event(bulletin) + end(),
    };
  }
  const { begin, end } = createQuakemlWriter(exported);
  const event = writeBulletin(bulletin, { form, eventId: compactEventId(eventId) });
  return { contentType: "application/xml", text: begin() + event + end() };
}
