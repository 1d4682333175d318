import Negotiator from "negotiator";
import { EXPORT_FORMATS, type ExportFormat } from "#contracts/http/catalogue-export.ts";

/**
 * The format by media type, the default first. A browser that follows a link takes HTML best of all
 * and XML before the rest: it gets the default.
 */
const BY_MEDIA_TYPE: ReadonlyMap<string, ExportFormat> = new Map([
  ["text/csv", "csv"],
  ["text/html", "csv"],
  ...Object.entries(EXPORT_FORMATS).map(
    ([format, { contentType }]) => [mediaType(contentType), format as ExportFormat] as const,
  ),
]);

/** The format that `Accept` likes best; CSV when it likes none of ours. */
export function acceptedFormat(accept: string | undefined): ExportFormat {
  const negotiator = new Negotiator({ headers: { accept } });
  const type = negotiator.mediaType([...BY_MEDIA_TYPE.keys()]);
  return BY_MEDIA_TYPE.get(type ?? "") ?? "csv";
}

function mediaType(contentType: string): string {
  return contentType.replace(/;.*/, "");
}
