import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { JsonObject, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createFileReader, type FileReaderOptions } from "#infra/formats/files/file-reader.ts";
import type { ReadResult } from "#infra/formats/format-reader.ts";
import { atOnce } from "#infra/kernel/steps.ts";
import { createEventValidator } from "#services/domain/seismic-event/validate-event.ts";

export type ReadFile = ReadResult & {
  readonly rows: readonly JsonObject[];
  /** Of rows that have one. */
  readonly bulletins: readonly Bulletin[];
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /** The events that the rows make, by what is known of each. */
  readonly events: readonly Partial<SeismicEventRecord>[];
  /** What is wrong with the rows that make none. */
  readonly faults: readonly string[];
};

/** A table of comma-separated values or the like. */
export const table = (header: string, ...rows: readonly string[]): string =>
  `${[header, ...rows].join("\n")}\n`;

/** A file as an upload reads it, again where its whole says how, and the events of its rows. */
export function readFile(
  content: string | Uint8Array,
  options: Partial<FileReaderOptions> = {},
): ReadFile {
  const [rows, errors, warnings]: [JsonObject[], string[], string[]] = [[], [], []];
  const bulletins: Bulletin[] = [];
  const reader = createFileReader(
    {
      row(row, _line, bulletin) {
        rows.push(row);
        if (bulletin !== undefined) bulletins.push(bulletin);
      },
      error: (line, message) => errors.push(`${line}: ${message}`),
      warning: (line, message) => warnings.push(`${line}: ${message}`),
    },
    { extension: "", delimiter: "auto", ...options },
  );
  reader.write(typeof content === "string" ? Buffer.from(content) : content);
  const result = atOnce(reader.end());
  if (result.again !== undefined) return readFile(content, { ...options, ...result.again });
  const validate = createEventValidator({ nowMs: Date.UTC(2026, 0) });
  const results = rows.map((row) => validate(JSON.parse(JSON.stringify(row))));
  const events = results.flatMap((one) => (one.ok ? [knownOf(one.record)] : []));
  const faults = results.flatMap((one) =>
    one.ok ? [] : one.errors.map(({ field, message }) => `${field} ${message}`),
  );
  return { ...result, rows, bulletins, errors, warnings, events, faults };
}

function knownOf(record: SeismicEventRecord): Partial<SeismicEventRecord> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}
