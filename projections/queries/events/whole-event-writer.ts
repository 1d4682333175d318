import { Refusal } from "#contracts/errors.ts";
import { MIB } from "#contracts/units.ts";
import { readCopiedBulletin } from "./copied-event.ts";
import type { EventKey } from "./event-cursor.ts";
import { mostBytes, writeEvent } from "./event-json.ts";
import { PAGE_COLUMNS_WITH_BOTH, PAGE_COLUMNS_WITH_BULLETINS } from "./event-rows.ts";
import { collectedPage, type EventWriter, keyOf, type PageForm } from "./event-writer.ts";

/** As lists of the API have events, with their bulletins. */
export const AS_WHOLE_EVENTS: PageForm = {
  columns: PAGE_COLUMNS_WITH_BULLETINS,
  createWriter: (limit, reversed) => createWholeWriter(limit, reversed, false),
};

/** The same with the members of merged events. */
export const AS_WHOLE_EVENTS_WITH_SOURCES: PageForm = {
  columns: PAGE_COLUMNS_WITH_BOTH,
  createWriter: (limit, reversed) => createWholeWriter(limit, reversed, true),
};

/** A page is collected before it is sent. One event may be larger. */
const MAX_PAGE_BYTES = 64 * MIB;

const TAB = 0x09;
const NULL = "\\N";
/** COPY writes a backslash twice. */
const ESCAPE_BYTES = 1;

function createWholeWriter(limit: number, reversed: boolean, withSources: boolean): EventWriter {
  const pieces: Buffer[] = [];
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
      const event = wholeEvent(line, withSources);
      bytes += event.json.length;
      keys.push(event.key);
      pieces.push(event.json);
    },
    finish() {
      if (bytes > MAX_PAGE_BYTES && pieces.length > 1) throw tooLarge();
      return collectedPage(pieces, keys, reversed, more);
    },
  };
}

/** The line has the bulletin before the digits of its time. */
function wholeEvent(line: Buffer, withSources: boolean): { json: Buffer; key: EventKey } {
  const end = line.lastIndexOf(TAB);
  const start = line.lastIndexOf(TAB, end - 1);
  const listed = Buffer.concat([line.subarray(0, start), line.subarray(end)]);
  const out = Buffer.alloc(mostBytes(listed));
  const written = writeEvent(listed, out, 0, withSources);
  const key = keyOf(out, 0, written);
  const text = line.toString("latin1", start + 1, end);
  const bulletin = text === NULL ? null : readCopiedBulletin(text.slice(ESCAPE_BYTES));
  if (bulletin === null) return { json: out.subarray(0, written), key };
  const member = Buffer.from(`,"bulletin":${JSON.stringify(bulletin)}}`);
  return { json: Buffer.concat([out.subarray(0, written - 1), member]), key };
}

function tooLarge(): Refusal {
  const message = `The bulletins of these events are larger than ${MAX_PAGE_BYTES / MIB} MiB; ask for fewer events`;
  return new Refusal("VALIDATION_ERROR", message);
}
