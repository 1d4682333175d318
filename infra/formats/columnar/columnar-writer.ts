import type { ColumnBatch, Layout } from "./column-batch.ts";

/** Bytes of a file in memory of their own, which can be moved to another thread. */
export type BinaryPiece = Uint8Array<ArrayBuffer>;

/**
 * A writer of one columnar format for one file. The file is the concatenation of `begin`, `batch` for
 * each batch of rows, none of them empty, and `end`. Synchronous, and keeps no rows.
 */
export type ColumnarWriter = {
  /** Most rows in a batch. */
  readonly batchRows: number;
  readonly begin: () => BinaryPiece;
  readonly batch: (batch: WrittenBatch) => BinaryPiece;
  readonly end: () => BinaryPiece;
};

export type WrittenBatch = Pick<ColumnBatch, "columns" | "points" | "length">;

/**
 * @param metadata of the file, by key
 * @param count about how many rows the file will have
 */
export type CreateColumnarWriter = (
  metadata: FileMetadata,
  count: number,
  layout: Layout,
) => ColumnarWriter;

export type FileMetadata = readonly { readonly key: string; readonly value: string }[];
