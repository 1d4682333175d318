import { z } from "zod";
import { operation } from "./operation.ts";

/** Most errors, and most warnings, listed in an upload's answer. */
export const MAX_LISTED_PROBLEMS = 100;

/** Limit of the rows in an answer, as a multiple of the largest accepted file. */
export const MAX_ANSWER_TIMES = 10;

export const DELIMITERS = {
  auto: "auto",
  comma: ",",
  tab: "\t",
  semicolon: ";",
  pipe: "|",
  space: " ",
} as const;

export const DelimiterName = z.enum(
  Object.keys(DELIMITERS) as [keyof typeof DELIMITERS, ...(keyof typeof DELIMITERS)[]],
);

export const RowProblem = z
  .object({ line: z.int().describe("of the file, from 1"), message: z.string() })
  .meta({ id: "RowProblem" });
export type RowProblem = z.infer<typeof RowProblem>;

export const UploadResult = z
  .object({
    data: z
      .array(z.record(z.string(), z.unknown()))
      .describe("the readable rows, by column name; magnitude is null where no column gives one"),
    headers: z.array(z.string()),
    format: z.enum(["csv", "txt", "json", "geojson", "quakeml"]),
    rowCount: z.int(),
    errors: z.array(RowProblem).describe("rows that could not be read, the first 100"),
    warnings: z.array(RowProblem).describe("what is doubtful in the others, the first 100"),
    errorCount: z.int(),
    warningCount: z.int(),
  })
  .meta({ id: "UploadResult" });
export type UploadResult = z.infer<typeof UploadResult>;

export const upload = operation({
  method: "POST",
  path: "/api/upload",
  summary: "Parse a file of earthquakes and answer its rows; nothing is stored",
  tag: "Upload",
  access: "editor",
  rate: "write",
  body: "file",
  documentedBody: z.object({
    file: z.string().meta({ format: "binary" }).describe("CSV, TXT, JSON, GeoJSON or QuakeML"),
    delimiter: DelimiterName.optional().describe("of delimited text"),
  }),
  success: { status: 200, schema: UploadResult, contentTypes: ["application/json"] },
  errors: ["VALIDATION_ERROR", "NO_FILE", "UNSUPPORTED_FORMAT", "FILE_TOO_LARGE", "PARSE_ERROR"],
});
