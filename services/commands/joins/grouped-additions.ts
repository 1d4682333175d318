import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Joined } from "#services/domain/bulletin/joined-bulletin.ts";

/** What a row of a file adds to an event. */
export type Addition = {
  readonly joined: Joined;
  /** Its place among the rows, from 0. */
  readonly index: number;
  /** Of the file, from 1. */
  readonly line: number;
};

/** What the rows of a file add to events, in their order. */
export type EventAdditions = ReadonlyMap<string, readonly Addition[]>;

/** As many parts are read one after the other: of 500,000 rows, some 8,000 at once. */
const PARTS = 64;
/** Text of a part that is compressed together. */
const BLOCK_CHARACTERS = 64 * 1024;

type Line = readonly [eventId: string, joined: Joined, index: number, line: number];

type Part = { text: string[]; characters: number; readonly blocks: Buffer[] };

/**
 * Additions that come in the order of a file and are taken by event. They wait compressed, in some
 * hundredth to tenth of their size as objects.
 */
export function createGroupedAdditions() {
  const parts = Array.from(
    { length: PARTS },
    (): Part => ({ text: [], characters: 0, blocks: [] }),
  );

  function close(part: Part): void {
    if (part.text.length === 0) return;
    part.blocks.push(zstdCompressSync(part.text.join("\n")));
    part.text = [];
    part.characters = 0;
  }

  return {
    /** @param eventId in hexadecimal digits at its end */
    add(eventId: string, { joined, index, line: ofFile }: Addition): void {
      const part = parts[Number.parseInt(eventId.slice(-2), 16) % PARTS] as Part;
      const line = JSON.stringify([eventId, joined, index, ofFile]);
      part.text.push(line);
      part.characters += line.length;
      if (part.characters >= BLOCK_CHARACTERS) close(part);
    },
    /** All that is known of some events, then of others; each part is given up with the next. */
    *take(): Generator<EventAdditions> {
      for (const part of parts) {
        close(part);
        const byEvent = new Map<string, Addition[]>();
        for (const block of part.blocks.splice(0)) {
          for (const line of zstdDecompressSync(block).toString().split("\n")) {
            const [eventId, joined, index, ofFile] = JSON.parse(line) as Line;
            const addition = { joined, index, line: ofFile };
            const before = byEvent.get(eventId);
            if (before === undefined) byEvent.set(eventId, [addition]);
            else before.push(addition);
          }
        }
        if (byEvent.size > 0) yield byEvent;
      }
    },
  };
}
