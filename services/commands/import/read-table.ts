import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { UploadReference } from "#contracts/http/upload.ts";
import type { TableReading } from "#contracts/schedule.ts";
import {
  type AgencyFileOptions,
  type FileMarks,
  readAgencyFile,
} from "#infra/agency/agency-client.ts";
import { AgencyError, agencyText } from "#infra/agency/http/errors.ts";
import type { FileReaderOptions } from "#infra/formats/files/file-reader.ts";
import type { FileRow } from "#infra/formats/format-reader.ts";
import { faultyColumns } from "#services/domain/events/validation/columns.ts";
import { type RowsListener, rowsOfPieces, surveyed } from "../submission/rows-of-pieces.ts";

/** What a run leaves of the file that it has read. */
const KnownTable = z.object({
  marks: z.object({
    etag: z.string().nullable(),
    lastModified: z.string().nullable(),
    sha256: z.string(),
  }),
  /** Whether it was known of each row which event it is. */
  isWhole: z.boolean(),
  /** Of a join: the version of the catalogue then, and how many rows were about no event. */
  version: z.int(),
  unmatched: z.int(),
});
export type KnownTable = Readonly<z.infer<typeof KnownTable>>;

/** Null for nothing, or for what another kind of agency has left. */
export function openKnownTable(known: Uint8Array | null): KnownTable | null {
  if (known === null) return null;
  try {
    return KnownTable.parse(JSON.parse(Buffer.from(known).toString()));
  } catch {
    return null;
  }
}

export const packKnownTable = (known: KnownTable): Uint8Array =>
  new Uint8Array(Buffer.from(JSON.stringify(known)));

/** A table's file that is not as it was known. */
export type TableFile = {
  readonly marks: FileMarks;
  /** Its rows in pieces, read once. */
  readonly slices: (listener: RowsListener) => Generator<FileRow[]>;
};

/**
 * Asks an agency that is a file for it; null where it is as it was known.
 * @param known null asks for it whatever it is
 * @throws as requests to agencies; AgencyError for a file that cannot be read, or has not the columns that it is
 * said to have
 */
export async function readTable(
  options: AgencyFileOptions,
  table: TableReading,
  known: FileMarks | null,
  signal: AbortSignal,
): Promise<TableFile | null> {
  const { name } = options;
  const file = await readAgencyFile(options, known, signal);
  if (file === null) return null;
  const { marks, pieces, extension } = file;
  const named = UploadReference.shape.columns.parse(table.columns);
  const columns = new Map(Object.entries(named ?? {}));
  const reading: FileReaderOptions = { extension, delimiter: "auto", columns };
  const alive = (): void => signal.throwIfAborted();
  const unusable = (why: string) => new AgencyError(`${name}'s file: ${agencyText(why)}`);
  const survey = () => {
    try {
      return surveyed(pieces, reading, alive);
    } catch (error) {
      throw error instanceof Refusal ? unusable(error.message) : error;
    }
  };
  const { unread, again, ...found } = survey();
  const [problem] = unread ?? [];
  if (problem) throw unusable(`no row can be read, from line ${problem.line}: ${problem.message}`);
  const [fault] = faultyColumns(columns, found);
  if (fault) throw unusable(`${fault.field} ${fault.message}`);
  return {
    marks,
    slices: (listener) => rowsOfPieces(pieces, { ...reading, ...again }, alive, listener),
  };
}
