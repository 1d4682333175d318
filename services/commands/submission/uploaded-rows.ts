import { zstdDecompressSync } from "node:zlib";
import { Refusal } from "#contracts/errors.ts";
import { UploadReference } from "#contracts/http/upload.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { parseText } from "#infra/json/parse-json.ts";
import type { Statements } from "#infra/postgres/statements.ts";
import type { Alive } from "#infra/threads/pulse.ts";
import { findUpload, readPieces } from "#infra/uploads/upload-store.ts";
import { createColumnNaming, faultyColumns } from "#services/domain/seismic-event/named-columns.ts";
import { type Submission, submissionOf } from "./read-submission.ts";

type Options = {
  readonly statements: () => Promise<Pick<Statements, "any" | "maybeOne">>;
  /** Who must have uploaded it. */
  readonly owner: string;
  readonly nowMs: number;
  readonly alive: Alive;
};

/**
 * A submission as it is or, where its body names a kept upload instead of events, of that upload's
 * rows. They stay compressed but for the piece that is being read.
 * @throws Refusal NOT_FOUND for an upload that is not there, has expired or is another user's;
 * VALIDATION_ERROR for events beside it, and for columns that it does not have
 */
export async function withUpload(
  given: Submission,
  { statements, owner, nowMs, alive }: Options,
): Promise<Submission> {
  const { envelope } = given;
  // A body with an invalid envelope is refused by the receiver, whatever is read here.
  const { data: reference } = UploadReference.safeParse(envelope);
  if (reference === undefined) return given;
  if (given.count !== null) {
    throw refused([{ field: "uploadId", message: "stands instead of events, not beside them" }]);
  }
  const { uploadId, columns = {} } = reference;
  const database = await statements();
  const upload = await findUpload(database, uploadId, owner);
  if (upload === null) throw notKept();
  const faults = faultyColumns(columns, upload.headers);
  if (faults.length > 0) throw refused(faults);
  const pieces = await readPieces(database, uploadId);
  if (pieces.length < upload.pieces) throw notKept();
  const named = createColumnNaming(columns, upload.headers);

  function* slices(): Generator<JsonObject[]> {
    for (const piece of pieces) {
      const rows = parseText(zstdDecompressSync(piece).toString(), 0) as JsonObject[];
      yield rows.map(named);
      alive();
    }
  }
  return submissionOf({ envelope, count: upload.rowCount, slices }, nowMs, alive);
}

function notKept(): Refusal {
  return new Refusal("NOT_FOUND", "There is no such upload of yours; uploads are kept for a day");
}

function refused(details: readonly { field: string; message: string }[]): Refusal {
  const sentence = details.map(({ field, message }) => `${field}: ${message}`).join("; ");
  return new Refusal("VALIDATION_ERROR", sentence, { details });
}
