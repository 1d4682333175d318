import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { MIB } from "#contracts/units.ts";
import { QUICK_BULLETIN_BYTES } from "#infra/bulletins/packed-bulletin.ts";
import { withCopiedBulletin } from "./copied-event.ts";
import type { EventKey } from "./event-cursor.ts";
import { mostBytes, writeEvent } from "./event-json.ts";
import { PAGE_COLUMNS_WITH_BOTH, PAGE_COLUMNS_WITH_BULLETINS } from "./event-rows.ts";
import { collectedPage, keyOf, type PageForm, type PageWriter } from "./event-writer.ts";

/** An event whose bulletin takes long to be read and written. */
export type LargeEvent = {
  /** Its JSON without the bulletin. */
  readonly event: string;
  /** The bulletin as COPY writes it. */
  readonly source: Uint8Array;
  /** Of the bulletin's JSON. */
  readonly bytes: number;
};

/** Makes the event's JSON while others have their turn. @throws CorruptBulletin */
export type WriteLargeEvent = (event: LargeEvent) => Promise<Buffer>;

/** As lists of the API have events, with their bulletins; `withSources`: and with the members of merged ones. */
export function asWholeEvents(withSources: boolean, write: WriteLargeEvent): PageForm {
  return {
    columns: withSources ? PAGE_COLUMNS_WITH_BOTH : PAGE_COLUMNS_WITH_BULLETINS,
    createWriter: (limit, reversed) => createWholeWriter(limit, reversed, withSources, write),
  };
}

/** A page is collected before it is sent. One event may be larger. */
const MAX_PAGE_BYTES = 64 * MIB;

const TAB = 0x09;
const NULL = Buffer.from("\\N");
/** COPY writes a backslash twice. */
const ESCAPE_BYTES = 1;

function createWholeWriter(
  limit: number,
  reversed: boolean,
  withSources: boolean,
  write: WriteLargeEvent,
): PageWriter {
  const pieces: (Buffer | LargeEvent)[] = [];
  const keys: EventKey[] = [];
  let bytes = 0;
  let more = false;

  return {
    add(line) {
      if (pieces.length === limit) {
        more = true;
        return;
      }
      if (bytes > MAX_PAGE_BYTES) return;
      const { piece, key } = wholeEvent(line, withSources);
      bytes += Buffer.isBuffer(piece) ? piece.length : piece.bytes;
      keys.push(key);
      pieces.push(piece);
    },
    async finish() {
      if (bytes > MAX_PAGE_BYTES && pieces.length > 1) throw tooLarge();
      const written: Buffer[] = [];
      for (const piece of pieces) {
        written.push(Buffer.isBuffer(piece) ? piece : await write(piece));
      }
      return collectedPage(written, keys, reversed, more);
    },
  };
}

/** The line has the bulletin before the digits of its time. */
function wholeEvent(line: Buffer, withSources: boolean) {
  const end = line.lastIndexOf(TAB);
  const start = line.lastIndexOf(TAB, end - 1);
  const listed = Buffer.concat([line.subarray(0, start), line.subarray(end)]);
  const out = Buffer.alloc(mostBytes(listed));
  const written = writeEvent(listed, out, 0, withSources);
  const key = keyOf(out, 0, written);
  const source = line.subarray(start + 1, end);
  if (source.equals(NULL)) return { piece: out.subarray(0, written), key };
  const event = out.toString("utf8", 0, written);
  return { piece: withItsBulletin(event, source.subarray(ESCAPE_BYTES)), key };
}

const Counted = z.object({ bulletin_counts: z.object({ bytes: z.number() }) });

/** A large event as it is, to be written later; a copy, since the line is not kept. */
function withItsBulletin(event: string, source: Buffer): Buffer | LargeEvent {
  const { bytes } = Counted.parse(JSON.parse(event)).bulletin_counts;
  if (bytes > QUICK_BULLETIN_BYTES) return { event, source: Uint8Array.from(source), bytes };
  return Buffer.from(withCopiedBulletin(event, source));
}

function tooLarge(): Refusal {
  const message = `The bulletins of these events are larger than ${MAX_PAGE_BYTES / MIB} MiB; ask for fewer events`;
  return new Refusal("VALIDATION_ERROR", message);
}
