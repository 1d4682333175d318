import { zstdDecompressSync } from "node:zlib";
import {
  type FileMetaData,
  type ParquetParsers,
  parquetMetadata,
  parquetReadObjects,
} from "hyparquet";
import { type ColumnValues, readValues } from "./column-values.ts";

const parsers: Partial<ParquetParsers> = { timestampFromMicroseconds: (micros) => micros };
const compressors = { ZSTD: (page: Uint8Array) => zstdDecompressSync(page) };

export type ParquetFile = {
  readonly metadata: FileMetaData;
  readonly rows: readonly ColumnValues[];
  /** The file's key-value metadata. */
  readonly pairs: Readonly<Record<string, string | undefined>>;
};

/** @throws Error for what is no whole Parquet file */
export async function readParquet(bytes: Uint8Array): Promise<ParquetFile> {
  const file = new Uint8Array(bytes).buffer;
  const metadata = parquetMetadata(file);
  const rows = await parquetReadObjects({ file, metadata, compressors, parsers });
  const pairs = metadata.key_value_metadata?.map(({ key, value }) => [key, value]) ?? [];
  return { metadata, rows: rows.map(readValues), pairs: Object.fromEntries(pairs) };
}
