/** The version of the FDSN Web Service Specification for events that the service implements. */
export const FDSN_VERSION = "1.2.0";

/**
 * The formats of the method `query`, by the names that stand for them: those of the standard (xml and
 * text), of ComCat, of EMSC (json), of ISC (isf)
 * and of SeisComP (sc3ml).
 */
export const FORMAT_OF = {
  xml: "xml",
  quakeml: "xml",
  qml: "xml",
  text: "text",
  geojson: "geojson",
  csv: "csv",
  kml: "kml",
  json: "json",
  isf: "isf",
  sc3ml: "sc3ml",
} as const;

export type FdsnFormat = (typeof FORMAT_OF)[keyof typeof FORMAT_OF];

/** The formats of the method `count`, as ComCat's. */
export const COUNT_FORMATS = ["text", "geojson", "xml"] as const satisfies readonly FdsnFormat[];

/** The default of each method that takes a query. */
export const DEFAULT_FORMAT = { query: "xml", count: "text" } as const;

export type FdsnMethod = keyof typeof DEFAULT_FORMAT;

const FORMATS: ReadonlyMap<string, FdsnFormat> = new Map(Object.entries(FORMAT_OF));

/** The format that a method's parameter or path names, in any case; null for an unknown one. */
export function formatNamed(name: string, method: FdsnMethod): FdsnFormat | null {
  const format = FORMATS.get(name.toLowerCase()) ?? null;
  if (method === "query" || format === null) return format;
  return COUNT_FORMATS.find((known) => known === format) ?? null;
}
