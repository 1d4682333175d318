import { xmlRoot } from "./xml-root.ts";

/** What a file holds: the family of formats whose reader takes it. */
export type FormatFamily = "delimited" | "json" | "quakeml";

/** The file extensions that are taken (contract §7), with what they promise. */
const EXTENSIONS: Readonly<Record<string, FormatFamily>> = {
  csv: "delimited",
  txt: "delimited",
  dat: "delimited",
  json: "json",
  geojson: "json",
  xml: "quakeml",
  qml: "quakeml",
  quakeml: "quakeml",
};

export type Detected =
  | { readonly family: FormatFamily; readonly warning: string | null }
  | { readonly family: null; readonly reason: string };

/** Root elements of QuakeML and of its payload alone. */
const QUAKEML_ROOTS = new Set(["quakeml", "eventparameters"]);

const MAX_CONTROL_SHARE = 0.05;

/** The extension of a file's name in lower case, without the dot; "" without one. */
export function extensionOf(fileName: string): string {
  return /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? "";
}

/**
 * The family of a file by its content; the extension only says whether it is taken at all, and is
 * doubted where the content says otherwise.
 * @param sample the beginning of the file's text
 */
export function detectFormat(extension: string, sample: string): Detected {
  if (extension !== "" && !Object.hasOwn(EXTENSIONS, extension)) {
    return { family: null, reason: `files named .${extension.slice(0, 20)} are not taken` };
  }
  if (isBinary(sample)) return { family: null, reason: "the file is not text" };
  const family = familyOf(sample.trimStart());
  if (family === null) return { family, reason: "the XML is not QuakeML" };
  const promised = EXTENSIONS[extension] ?? family;
  const differs = promised !== family;
  return { family, warning: differs ? `named .${extension}, but its content is ${family}` : null };
}

/** No text holds NUL, nor more than here and there a control character: those before TAB, and from SO to ESC. */
function isBinary(sample: string): boolean {
  let controls = 0;
  for (let i = 0; i < sample.length; i++) {
    const code = sample.charCodeAt(i);
    if (code === 0) return true;
    if (code < 0x09 || (code > 0x0d && code < 0x1c)) controls += 1;
  }
  return controls > sample.length * MAX_CONTROL_SHARE;
}

function familyOf(sample: string): FormatFamily | null {
  if (sample.startsWith("{") || sample.startsWith("[")) return "json";
  if (!sample.startsWith("<")) return "delimited";
  const root = xmlRoot(sample);
  // A root that is beyond the sample is left to the reader.
  return root === undefined || QUAKEML_ROOTS.has(root) ? "quakeml" : null;
}
