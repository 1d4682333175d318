import { z } from "zod";
import { asOf, filteredQuery, filterShape } from "../../query/filter-parameters.ts";
import { ATTRIBUTE_NAMES } from "../../seismic-event/attributes.ts";
import { CatalogueParams } from "../catalogue.ts";
import { operation, sharedAt } from "../operation.ts";

/**
 * What can be a column: everything of an event that is one number or one text, and how many arrivals
 * its bulletin has.
 */
const ColumnName = z.enum(["id", "time", ...ATTRIBUTE_NAMES, "arrivals"]);
export type ColumnName = z.output<typeof ColumnName>;
/** Those that are of the event's row. */
export type ScalarName = Exclude<ColumnName, "arrivals">;

export const DEFAULT_COLUMNS: readonly ScalarName[] = [
  "id",
  "time",
  "latitude",
  "longitude",
  "depth",
  "magnitude",
];

export const COLUMNS_LIMITS = {
  /** Beyond it clients draw cells of the analytics density. */
  events: 2_000_000,
  /** Different texts in a column, which 16 bits tell apart from each other and from null. */
  texts: 65_535,
  /** Of the texts of all columns in UTF-8, since the header is parsed at once. */
  textBytes: 16 * 1024 * 1024,
} as const;

/**
 * How the values of a column are packed, little-endian. `u32x2`: ids, revision and index in turn
 * (contracts/seismic-event/event-id.ts). `f64`: times, in milliseconds since 1970 with a fraction.
 * `f32`: other numbers, NaN for null. `u8`, `u16`: texts, as indexes into the column's dictionary.
 */
export type PackedType = "u32x2" | "f64" | "f32" | "u8" | "u16";

/** `offset`: bytes from the beginning of the body, a multiple of 8. */
export type PackedColumn = {
  readonly name: ColumnName;
  readonly type: PackedType;
  readonly offset: number;
  /** The texts; the first is null, for events without one. */
  readonly dictionary?: readonly (string | null)[];
};

/**
 * The header of packed columns, each with `count` values, newest event first. A body is COLUMNS_MAGIC,
 * the number of bytes of the header (u32), the header as JSON, which spaces may follow, then the values.
 */
export type ColumnsHeader = {
  readonly catalogue: string;
  readonly version: number;
  readonly count: number;
  readonly columns: readonly PackedColumn[];
};

export const COLUMNS_MAGIC = "EQC1";

/** The forms of columns with their media types, the default first. */
export const COLUMNS_FORMS = {
  packed: { contentType: "application/octet-stream" },
  json: { contentType: "application/json; charset=utf-8" },
} as const;

const COLUMN_NAMES: readonly string[] = ColumnName.options;

const columns = z
  .string()
  .transform((text, context) => {
    const names = text.split(",").map((name) => name.trim());
    const unknown = names.find((name) => !COLUMN_NAMES.includes(name));
    if (unknown !== undefined) {
      context.addIssue({ code: "custom", message: `there is no column "${unknown}"` });
    } else if (new Set(names).size < names.length) {
      context.addIssue({ code: "custom", message: "a column is named twice" });
    }
    return names;
  })
  .pipe(z.array(ColumnName))
  .describe(
    `names of scalar attributes, or arrivals (their number, null without a bulletin), comma list; default ${DEFAULT_COLUMNS.join(",")}`,
  );

export const getEventColumns = operation({
  method: "GET",
  path: "/api/catalogues/:id/events/columns",
  summary: "The events of a catalogue that satisfy all filters, by column, newest first",
  tag: "Events",
  access: "readers",
  alsoAt: sharedAt("/events/columns"),
  rate: "read",
  caching: "revalidated",
  params: CatalogueParams,
  query: filteredQuery({ ...filterShape, columns: columns.optional(), asOf }),
  success: {
    status: 200,
    schema: z
      .string()
      .describe(
        "packed as contracts/docs/events.md describes, or {catalogue, version, count, columns: [{name, values}]}",
      ),
    contentTypes: Object.values(COLUMNS_FORMS).map(({ contentType }) => contentType),
  },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "TOO_MANY_EVENTS"],
});
