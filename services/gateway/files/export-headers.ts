import contentDisposition from "content-disposition";
import { EXPORT_FORMATS, type ExportFormat } from "#contracts/http/catalogue-export.ts";
import { acceptedType } from "../http/headers/accepted-type.ts";

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
  const type = acceptedType(accept, [...BY_MEDIA_TYPE.keys()]);
  return BY_MEDIA_TYPE.get(type ?? "") ?? "csv";
}

function mediaType(contentType: string): string {
  return contentType.replace(/;.*/, "");
}

const MAX_NAME_LENGTH = 100;
/** Characters that are unsafe in file systems or headers, including control characters. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}"*/:<>?\\|]+/gu;

/** `Content-Disposition` for a file named after its catalogue, with a name that is safe for saving. */
export function attachment(name: string, version: number, extension: string): string {
  const safe = [...name.replace(UNSAFE, " ").replace(/\s+/g, " ").trim()]
    .slice(0, MAX_NAME_LENGTH)
    .join("");
  // A leading dot would hide the file.
  const base = safe.replace(/^[.\s]+/, "").trim() || "catalogue";
  return contentDisposition(`${base} v${version}.${extension}`);
}
