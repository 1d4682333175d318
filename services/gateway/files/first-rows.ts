import { MAX_SHOWN_ROWS } from "#contracts/http/upload.ts";

/** In the JSON of a row there is no line end of its own. */
const BETWEEN_ROWS = Buffer.from(",\n");

/** Collects the bytes of the first rows, which have `,\n` between them. */
export function firstRows(limit = MAX_SHOWN_ROWS) {
  const taken: Uint8Array[] = [];
  let begun = 0;
  return {
    /** @param rows whole rows; after the first ones they begin with `,\n` */
    add(rows: Uint8Array): void {
      if (rows.length === 0 || begun === limit) return;
      const bytes = Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength);
      if (begun === 0) begun = 1;
      for (
        let at = bytes.indexOf(BETWEEN_ROWS);
        at >= 0;
        at = bytes.indexOf(BETWEEN_ROWS, at + 1)
      ) {
        if (begun === limit) {
          taken.push(Buffer.from(bytes.subarray(0, at)));
          return;
        }
        begun += 1;
      }
      taken.push(Buffer.from(bytes));
    },
    rows: (): Uint8Array => Buffer.concat(taken),
  };
}
