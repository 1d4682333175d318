import type { ExportedCatalogue } from "../format-writer.ts";
import type { EventBatch } from "./event-batch.ts";

/** Bytes of a file in memory of their own, which can be moved to another thread. */
export type BinaryPiece = Uint8Array<ArrayBuffer>;

/**
 * A writer of one columnar format for one file. The file is the concatenation of `begin`, `batch` for
 * each batch of events, none of them empty, and `end`. Synchronous, and keeps no rows.
 */
export type ColumnarWriter = {
  /** Most events in a batch. */
  readonly batchRows: number;
  readonly begin: () => BinaryPiece;
  readonly batch: (batch: EventBatch) => BinaryPiece;
  readonly end: () => BinaryPiece;
};

/** @param count about how many events the file will have */
export type CreateColumnarWriter = (exported: ExportedCatalogue, count: number) => ColumnarWriter;
