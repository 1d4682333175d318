import { countElements } from "#contracts/bulletin/counts.ts";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import {
  MAX_BULLETIN_BYTES,
  MAX_BULLETIN_ELEMENTS,
} from "#contracts/seismic-event/bulletin-objects.ts";
import { createRepeatedIds } from "../../files/text-index.ts";
import { inOneStep } from "../../kernel/iteration.ts";
import { rowOfBulletin } from "../bulletin/row.ts";
import {
  createElementTally,
  type FormatReader,
  type RowSink,
  type UploadFormat,
} from "../format-reader.ts";
import { EXPORT_FIELDS } from "../format-writer.ts";
import { expressible } from "../xml/xml.ts";
import { FaultyLine, type TextLine } from "./fixed-columns.ts";

/** Where a line stands: it may begin an event, belong to the one that is open, end it, or to none. */
export type LinePlace = "first" | "within" | "last" | "outside";

/** A format that gives each event as a block of lines. */
type BlockFormat = {
  readonly format: UploadFormat;
  /** @param block the lines of the open event, none before its first */
  readonly place: (line: TextLine, block: readonly TextLine[]) => LinePlace;
  /**
   * The event of a block.
   * @throws FaultyLine
   */
  readonly read: (
    block: readonly TextLine[],
    warn: (line: number, message: string) => void,
  ) => Bulletin;
  /** Files say that they are of the format, so that one without events is an empty catalogue. */
  readonly isCatalogue?: boolean;
  /** What the last event must end with, for formats that have such a mark. */
  readonly end?: string;
  /** Whether the file may end without the mark after this line, which then is doubtful, not wrong. */
  readonly mayEndAfter?: (line: TextLine, isClosed: boolean) => boolean;
};

const NONE: readonly TextLine[] = [];

/**
 * A reader of a format whose events are blocks of lines. It holds the lines of one event. An event
 * with a faulty line is an error at that line, and no part of it is a row.
 */
export function createBlockReader(
  sink: RowSink,
  { format, place, read, isCatalogue = false, end, mayEndAfter }: BlockFormat,
): FormatReader {
  const occurred = new Set<string>();
  const tally = createElementTally();
  const isRepeated = createRepeatedIds();
  const block = createBlock();
  /** Whether a line end closed the last line. */
  let isClosed = true;

  function finish(isLast = false): void {
    const [first] = block.lines();
    if (first === undefined) return;
    try {
      if (block.isTooLarge()) throw new FaultyLine(first.number, "the event is too large");
      if (isLast && end !== undefined) endWithoutMark(first.number);
      tell(read(block.lines(), sink.warning), first.number);
    } catch (error) {
      if (!(error instanceof FaultyLine)) throw error;
      tally.drop(null);
      const whole =
        error.line === first.number ? "" : `, of the event that line ${first.number} begins`;
      sink.error(error.line, `${error.message}${whole}`, { elements: null });
    }
    block.clear();
  }

  function endWithoutMark(first: number): void {
    const message = `the file ends without ${end} and may be cut off there`;
    const line = block.lines().at(-1);
    if (line === undefined || !mayEndAfter?.(line, isClosed)) throw new FaultyLine(first, message);
    sink.warning(line.number, message);
  }

  function tell(bulletin: Bulletin, line: number): void {
    const row = rowOfBulletin(bulletin, (message) => sink.warning(line, message));
    if (typeof row === "string") {
      tally.drop(bulletin);
      sink.error(line, row, { publicId: bulletin.publicID, elements: countElements(bulletin) });
      return;
    }
    const { publicID } = bulletin;
    if (isRepeated(publicID)) {
      sink.warning(line, `the id ${publicID.slice(0, 200)} was there before`);
    }
    tally.keep(bulletin);
    for (const name in row) occurred.add(name);
    sink.row(row, line, bulletin);
  }

  const lines = createTextLines((line, isWhole) => {
    isClosed = isWhole;
    const where = place(line, block.lines());
    if (where === "first") finish();
    if (where !== "outside") block.add(line);
    if (where === "last") finish();
  });

  return {
    write: lines.write,
    end: () =>
      inOneStep(() => {
        lines.end();
        finish(true);
        const headers = EXPORT_FIELDS.filter((name) => occurred.has(name));
        return { headers, format, isCatalogue, elements: tally.tallies() };
      }),
  };
}

/** The lines of the open event, up to the limits of a bulletin. */
function createBlock() {
  let lines: TextLine[] = [];
  let characters = 0;
  let isTooLarge = false;
  return {
    lines: (): readonly TextLine[] => (lines.length === 0 ? NONE : lines),
    isTooLarge: () => isTooLarge,
    add(line: TextLine): void {
      characters += line.text.length;
      isTooLarge ||=
        characters > MAX_BULLETIN_BYTES ||
        lines.length >= MAX_BULLETIN_ELEMENTS ||
        line.text.length >= MAX_LINE_LENGTH;
      if (!isTooLarge) lines.push(line);
    },
    clear(): void {
      lines = [];
      characters = 0;
      isTooLarge = false;
    },
  };
}

/** Far above any line of these formats; what is beyond is cut off. */
export const MAX_LINE_LENGTH = 64 * 1024;

const LINE_END = /\r\n?|\n/g;
/** Printers' marks, which stand for nothing. */
const PAGE = /[\v\f]/g;

/**
 * Cuts a text that comes in pieces into lines, which end with LF, CRLF or CR. What no bulletin may hold, as it
 * could not be written, becomes U+FFFD, in the same columns.
 * @param take gets each line; `isClosed` unless the text ends within it
 */
export function createTextLines(take: (line: TextLine, isClosed: boolean) => void) {
  let open = "";
  let number = 1;
  /** The last piece ended with CR, which may be half of a CRLF. */
  let afterReturn = false;

  function extend(text: string): void {
    if (open.length < MAX_LINE_LENGTH) open += text.slice(0, MAX_LINE_LENGTH - open.length);
  }

  function close(isClosed: boolean): void {
    const text = expressible(open.replace(PAGE, " "));
    open = "";
    take({ text, number: number++ }, isClosed);
  }

  return {
    write(text: string): void {
      let at = afterReturn && text.startsWith("\n") ? 1 : 0;
      if (text !== "") afterReturn = text.endsWith("\r");
      LINE_END.lastIndex = at;
      for (let end = LINE_END.exec(text); end !== null; end = LINE_END.exec(text)) {
        extend(text.slice(at, end.index));
        close(true);
        at = end.index + end[0].length;
      }
      extend(text.slice(at));
    },
    /** Hands over the last line, if no line end closes it. */
    end(): void {
      if (open !== "") close(false);
    },
  };
}
