import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { FaultyLine, type TextLine } from "../fixed-columns.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import { createBlockReader, type LinePlace } from "../lines/block-reader.ts";
import { bulletinOfLines } from "./reading/bulletin-of-lines.ts";
import type { Warn } from "./reading/event-lines.ts";
import { linesOfEvent } from "./reading/event-reader.ts";
import { blockBegunBy } from "./shared/blocks.ts";
import {
  type AnnouncedData,
  dataAnnouncedBy,
  isMessageLine,
  isStop,
  titleIn,
} from "./shared/message-lines.ts";

/** Mail headers, and the page of a web site, may stand before the bulletin. */
const HEAD_LINES = 40;
const READABLE = /^ims1\.0(?::short)?$/i;

/**
 * A reader of bulletins in IMS1.0:short and its extensions ISF 1.0, 2.0 and 2.1 (IASPEI Seismic Format): an
 * event from its title to the next one's or to `STOP`. Without `STOP` the file may be cut off, and its
 * last event is an error. Other messages before, between and after bulletins are passed over. People keep
 * bulletins without the message's head: an event's title and then the header of its origins begin one, too,
 * which needs no `STOP` where its last line is whole.
 */
export function createIsfReader(sink: RowSink): FormatReader {
  const format = createFormat();
  return createBlockReader(sink, { format: "isf", isCatalogue: true, end: "STOP", ...format });
}

/** True for a text in whose head a bulletin is announced, whatever its columns are, or with a header of origins. */
export function isIsf(lines: readonly string[]): boolean {
  const isAnnounced = (line: string) => dataAnnouncedBy(line)?.isBulletin === true;
  return lines.slice(0, HEAD_LINES).some(isAnnounced) || lines.some(isHeaderOfOrigins);
}

/** No other format has the words of this line. */
function isHeaderOfOrigins(text: string): boolean {
  return blockBegunBy(withoutMarkup(text)) === "origins";
}

function isReadable({ isBulletin, format }: AnnouncedData): boolean {
  return isBulletin && READABLE.test(format);
}

function createFormat() {
  /** False before the announcement of a bulletin, and after one of something else. */
  let isInBulletin = false;
  /** Undefined before the first line with text. */
  let isPage: boolean | undefined;
  let announced: AnnouncedData | null = null;
  /** The line above, but for blank ones, where no event is open. */
  let above: TextLine | undefined;
  /** Titles of events without a head, by the header below them. */
  const titles = new WeakMap<TextLine, TextLine>();

  function plain(line: TextLine): TextLine {
    return isPage ? { text: withoutMarkup(line.text), number: line.number } : line;
  }

  function place(line: TextLine, block: readonly TextLine[]): LinePlace {
    if (line.text.trim() !== "") isPage ??= line.text.trimStart().startsWith("<");
    const open = block.length > 0;
    const { text } = plain(line);
    const data = dataAnnouncedBy(line.text);
    if (data !== null) {
      announced = data;
      isInBulletin = isReadable(announced);
      if (announced.isBulletin && !isInBulletin) return open ? "first" : "last";
      return open ? "last" : "outside";
    }
    if (isInBulletin && titleIn(text) !== null) return "first";
    if (!open && announced?.isBulletin !== true && isHeaderOfOrigins(text)) {
      isInBulletin = true;
      if (above !== undefined && titleIn(plain(above).text) !== null) titles.set(line, above);
      return "first";
    }
    if (text.trim() !== "") above = line;
    if (!isInBulletin || !open) return "outside";
    return isStop(text) ? "last" : "within";
  }

  function read(block: readonly TextLine[], warn: Warn): Bulletin {
    const above = block.slice(0, 1).flatMap((line) => titles.get(line) ?? []);
    const [first, ...rest] = [...above, ...block].map(plain);
    if (first === undefined) throw new FaultyLine(0, "there is no event");
    const title = titleIn(first.text);
    if (title === null) {
      const { format } = dataAnnouncedBy(first.text) ?? {};
      const columns = `bulletins in ${format} have columns that are not read`;
      const message = format === undefined ? "the origins are of no event" : columns;
      throw new FaultyLine(first.number, message);
    }
    const last = rest.at(-1)?.text ?? "";
    const isClosed = isMessageLine(last);
    return bulletinOfLines(linesOfEvent(title, isClosed ? rest.slice(0, -1) : rest, warn), warn);
  }

  const mayEndAfter = (_: TextLine, isClosed: boolean) => isClosed && announced === null;
  return { place, read, mayEndAfter };
}

const TAG = /<\/?[a-z][^<>]*>/gi;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", nbsp: " " };

/** A line of a page as a browser shows it. */
function withoutMarkup(text: string): string {
  return text
    .replace(TAG, "")
    .replace(/&(\w{2,4});/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
