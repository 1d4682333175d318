import Negotiator from "negotiator";
import { EXPORT_FORMATS, type ExportFormat } from "#contracts/http/catalogue-export.ts";

/**
 * The formats by media type, the default first. A browser that follows a link prefers HTML, then
 * XML, and gets the default.
 */
const BY_MEDIA_TYPE: ReadonlyMap<string, ExportFormat> = new Map([
  ["text/csv", "csv"],
  ["text/html", "csv"],
  ...Object.entries(EXPORT_FORMATS).map(
    ([format, { contentType }]) => [mediaType(contentType), format as ExportFormat] as const,
  ),
]);

/** The format that `Accept` prefers; CSV when it accepts none of them. */
export function acceptedFormat(accept: string | undefined): ExportFormat {
  const negotiator = new Negotiator({ headers: { accept } });
  const type = negotiator.mediaType([...BY_MEDIA_TYPE.keys()]);
  return BY_MEDIA_TYPE.get(type ?? "") ?? "csv";
}

function mediaType(contentType: string): string {
  return contentType.replace(/;.*/, "");
}
