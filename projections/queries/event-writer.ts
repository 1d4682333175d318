import { FIELD } from "#infra/formats/export-row.ts";
import { ANSWERED_FIELDS, createMembersWriter } from "#infra/formats/json/json-text.ts";
import type { TextRow } from "#infra/postgres/text-copy.ts";
import { toExportRow } from "./copied-events.ts";
import type { EventKey } from "./event-cursor.ts";

/** Events of a page in its order, with the keys of its first and last. */
export type WrittenEvents = {
  /** UTF-8 JSON as the API answers events in lists: pieces of one or more, with commas between. */
  readonly json: readonly Buffer[];
  readonly count: number;
  readonly first: EventKey | null;
  readonly last: EventKey | null;
  /** Whether there was a row beyond the limit. */
  readonly more: boolean;
};

export type EventWriter = {
  /** Uses the row up. */
  readonly add: (row: TextRow) => void;
  readonly finish: () => WrittenEvents;
};

/**
 * Events of a piece. A text that is put together of very many parts only in the end costs more in the
 * collector than all the rest.
 */
const IN_A_PIECE = 32;

const members = createMembersWriter(ANSWERED_FIELDS);

/**
 * Writes rows as they come; those beyond `limit` are only noticed.
 * @param reversed the rows come in the opposite order of the page
 */
export function createEventWriter(limit: number, reversed: boolean): EventWriter {
  const pieces: Buffer[] = [];
  const inAPiece = reversed ? 1 : IN_A_PIECE;
  let text = "";
  let open = 0;
  let count = 0;
  let more = false;
  let begin: KeyTexts | null = null;
  let end: KeyTexts | null = null;

  function close(): void {
    if (open > 0) pieces.push(Buffer.from(text));
    text = "";
    open = 0;
  }

  return {
    add(row) {
      if (count === limit) {
        more = true;
        return;
      }
      count += 1;
      end = keyTexts(row);
      begin ??= end;
      text += open === 0 ? "{" : ",{";
      text += members(toExportRow(row));
      text += "}";
      open += 1;
      if (open === inAPiece) close();
    },
    finish() {
      close();
      const [from, to] = [begin && keyOf(begin), end && keyOf(end)];
      return reversed
        ? { json: pieces.reverse(), count, first: to, last: from, more }
        : { json: pieces, count, first: from, last: to, more };
    },
  };
}

/** The key of a row of `LISTED_COLUMNS`. */
export function keyOfRow(row: TextRow): EventKey {
  return keyOf(keyTexts(row));
}

/** A key as PostgreSQL writes it. */
type KeyTexts = readonly [magnitude: string | null, time: string, id: string];

function keyTexts(row: TextRow): KeyTexts {
  return [row[FIELD.magnitude] ?? null, row[FIELD.time], row[FIELD.id]] as KeyTexts;
}

function keyOf([magnitude, time, id]: KeyTexts): EventKey {
  return { magnitude: magnitude === null ? null : Number(magnitude), time, id };
}
