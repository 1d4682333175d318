import { readTextRow } from "#infra/postgres/text-copy.ts";
import { mostBytesOf, writeCopiedEvent } from "./copied-event-json.ts";
import type { EventKey } from "./event-cursor.ts";
import { keyOfRow, type WrittenEvents } from "./event-writer.ts";

export type CopiedEventWriter = {
  /** @param line a row of `LISTED_COLUMNS` as COPY gives it, with its newline; not kept */
  readonly add: (line: Buffer) => void;
  readonly finish: () => WrittenEvents;
};

const COMMA = 0x2c;
/** Bytes that events are written into before others are taken; more for an event that is larger. */
const BLOCK_BYTES = 64 * 1024;

/**
 * Writes rows of a COPY as they come; those beyond `limit` are only noticed.
 * @param reversed the rows come in the opposite order of the page
 */
export function createCopiedEventWriter(limit: number, reversed: boolean): CopiedEventWriter {
  const pieces: Buffer[] = [];
  let block = Buffer.alloc(0);
  let start = 0;
  let end = 0;
  let count = 0;
  let more = false;
  let begin: EventKey | null = null;
  let last = Buffer.alloc(0);
  let lastLength = 0;

  function close(): void {
    if (end > start) pieces.push(block.subarray(start, end));
    start = end;
  }

  function makeRoom(bytes: number): void {
    if (end + bytes <= block.length) return;
    close();
    block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, bytes));
    start = 0;
    end = 0;
  }

  function keep(line: Buffer): void {
    if (last.length < line.length) last = Buffer.allocUnsafe(2 * line.length);
    lastLength = line.copy(last);
  }

  return {
    add(line) {
      if (count === limit) {
        more = true;
        return;
      }
      count += 1;
      keep(line);
      begin ??= keyOfLine(line);
      makeRoom(mostBytesOf(line));
      if (end > start) block[end++] = COMMA;
      end = writeCopiedEvent(line, block, end);
      if (reversed) close();
    },
    finish() {
      close();
      const to = count === 0 ? null : keyOfLine(last.subarray(0, lastLength));
      return reversed
        ? { json: pieces.reverse(), count, first: to, last: begin, more }
        : { json: pieces, count, first: begin, last: to, more };
    },
  };
}

function keyOfLine(line: Buffer): EventKey {
  return keyOfRow(readTextRow(line.toString("utf8", 0, line.length - 1)));
}
