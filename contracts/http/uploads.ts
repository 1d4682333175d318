import { z } from "zod";
import { ElementTalliesBody } from "../events/imports.ts";
import { nameIn } from "../query/parameters.ts";
import { COLUMN_TARGETS } from "../seismic-event/columns.ts";
import { UNITS } from "../seismic-event/written-numbers.ts";
import { DATE_ORDERS } from "../seismic-event/written-times.ts";
import { Id, operation } from "./operation.ts";

/** Most errors, and most warnings, listed in an upload's answer. */
export const MAX_LISTED_PROBLEMS = 100;

/** Most groups of them. */
export const MAX_LISTED_NOTES = 100;

/** Limit of the rows in an answer, as a multiple of the largest accepted file. */
export const MAX_ANSWER_TIMES = 10;

/** Rows in the answer of a kept upload. */
export const MAX_SHOWN_ROWS = 100;

/** What a file is read as; its content decides, not its name. */
export const UPLOAD_FORMATS = [
  "csv",
  "txt",
  "json",
  "geojson",
  "quakeml",
  "scml",
  "isf",
  "ndk",
  "nonlinloc",
  "hypodd",
  "nordic",
] as const;

/** How a file is to be read where it does not say so itself. */
export const ReadingFields = z.object({
  dateOrder: z
    .enum(DATE_ORDERS)
    .optional()
    .describe("of dates with several meanings; by default the whole column decides"),
  encoding: z
    .string()
    .max(40)
    .refine(isEncoding, "is no label of the WHATWG Encoding Standard")
    .optional()
    .describe("a label of the WHATWG Encoding Standard; by default it is detected"),
});

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== "";
  } catch {
    return false;
  }
}

const Target = z.enum(COLUMN_TARGETS);
const NamedColumn = z
  .union([
    Target,
    z.strictObject({
      attribute: Target,
      unit: nameIn(UNITS)
        .optional()
        .describe("of its numbers, whatever its name says; of `time`, since 1970"),
    }),
  ])
  .nullable();

/** What stands instead of events: the rows of a kept upload. */
export const UploadReference = z.object({
  uploadId: Id.describe("of `POST /api/upload?keep=true`, the caller's own, 24 hours long"),
  columns: z
    .record(z.string(), NamedColumn)
    .optional()
    .describe("what columns of the file are; null leaves one out; others are known by their names"),
  ...ReadingFields.shape,
});

export const DELIMITERS = {
  auto: "auto",
  comma: ",",
  tab: "\t",
  semicolon: ";",
  pipe: "|",
  space: " ",
} as const;

export const DelimiterName = nameIn(DELIMITERS);

export const RowProblem = z
  .object({ line: z.int().describe("of the file, from 1"), message: z.string() })
  .meta({ id: "RowProblem" });
export type RowProblem = z.infer<typeof RowProblem>;

export const UploadNote = z
  .object({
    message: z.string().describe("of the first"),
    count: z.int().describe("how often it is said, of all rows"),
    first: z.int().describe("the first line of which it is said"),
  })
  .meta({ id: "UploadNote" });
export type UploadNote = z.infer<typeof UploadNote>;

export const UploadResult = z
  .object({
    uploadId: z.uuid().optional().describe("of a kept upload"),
    data: z
      .array(z.record(z.string(), z.unknown()))
      .describe(
        "the readable rows, by column name, of a kept upload the first 100; magnitude is null where no column gives one",
      ),
    headers: z.array(z.string()),
    members: z
      .array(z.string())
      .optional()
      .describe("of JSON and GeoJSON: the file's own names that are no headers, the first 1,000"),
    format: z.enum(UPLOAD_FORMATS),
    rowCount: z.int(),
    errors: z.array(RowProblem).describe("rows that could not be read, the first 100"),
    warnings: z.array(RowProblem).describe("what is doubtful in the others, the first 100"),
    notes: z
      .array(UploadNote)
      .describe(
        "errors and warnings of all rows, those together that differ in numbers alone, the first 100",
      ),
    errorCount: z.int(),
    warningCount: z.int(),
    emptyCounts: z
      .record(z.string(), z.int())
      .describe("of each header, in how many readable rows it holds nothing"),
    elements: ElementTalliesBody.optional(),
  })
  .meta({ id: "UploadResult" });
export type UploadResult = z.infer<typeof UploadResult>;

export const upload = operation("POST", "/api/upload", {
  summary: "Parse a file of earthquakes and answer its rows, or keep them for a day",
  access: "editor",
  query: z.strictObject({
    keep: z
      .enum(["true", "false"])
      .optional()
      .describe("true: the rows are kept for a day, and `data` has the first 100"),
    include: z
      .literal("bulletin")
      .optional()
      .describe("rows have the bulletins of their events, where the file has more than rows"),
  }),
  body: "file",
  documentedBody: z.object({
    file: z
      .string()
      .meta({ format: "binary" })
      .describe(
        "CSV, TXT, JSON, GeoJSON, QuakeML, SCML, ISF, NDK, NonLinLoc, hypoDD or Nordic, whatever its name; also in gzip or as the only file of a ZIP",
      ),
    delimiter: DelimiterName.optional().describe("of delimited text"),
    ...ReadingFields.shape,
  }),
  example: {
    file: "time,latitude,longitude,depth,magnitude\n2016-11-13T11:02:56Z,-42.69,173.02,15.1,7.8\n",
    delimiter: "auto",
    dateOrder: "ymd",
    encoding: "utf-8",
  },
  answer: UploadResult,
  contentTypes: ["application/json"],
  errors: ["NO_FILE", "UNSUPPORTED_FORMAT", "FILE_TOO_LARGE", "PARSE_ERROR"],
});
