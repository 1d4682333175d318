import contentDisposition from "content-disposition";

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
