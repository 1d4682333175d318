import type { ColumnName } from "#contracts/http/events/event-columns.ts";
import { createSpool } from "../../files/spool.ts";

/** What columns are of, and which. */
export type ColumnsHead = {
  /** The catalogue's id. */
  readonly catalogue: string;
  readonly version: number;
  readonly columns: readonly ColumnName[];
};

/**
 * Makes columns of rows: the columns can be read once all rows have been taken. Until then their
 * values lie in files, so memory does not grow with the catalogue.
 * @template Rows the next rows, in any number
 */
export type ColumnsWriter<Rows> = {
  /** @throws Refusal VALIDATION_ERROR for columns with too many texts */
  readonly take: (rows: Rows) => Promise<void>;
  /** The answer, in pieces with buffers of their own. @throws as `take`; Error when rows are missing */
  readonly pieces: () => AsyncGenerator<Uint8Array>;
  /** Frees memory and files; may be called twice. */
  readonly discard: () => Promise<void>;
};

/** Rows whose values are kept in memory before they are written. */
export const BLOCK_ROWS = 16_384;
/** Of each column, before a file is opened. */
const KEPT_BYTES = 256 * 1024;

/** The values of columns until they are read. */
export type ColumnSpools = {
  /** Adds to each column. */
  readonly write: (blocks: readonly Uint8Array[]) => Promise<void>;
  /** The values of the column at `index`, which can be read once. */
  readonly read: (index: number) => AsyncGenerator<Uint8Array>;
  readonly discard: () => Promise<void>;
};

export function createColumnSpools(columns: number): ColumnSpools {
  const spools = Array.from({ length: columns }, () => createSpool({ memoryBytes: KEPT_BYTES }));
  return {
    async write(blocks) {
      for (const [i, block] of blocks.entries()) await spools[i]?.write(block);
    },
    async *read(index) {
      const spool = spools[index];
      if (spool) yield* spool.read();
    },
    async discard() {
      await Promise.all(spools.map((spool) => spool.discard()));
    },
  };
}
