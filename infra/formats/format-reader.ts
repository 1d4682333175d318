import {
  countElements,
  type ElementCounts,
  type ElementTallies,
  type ElementTally,
} from "#contracts/bulletin/counts.ts";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { UPLOAD_FORMATS } from "#contracts/http/uploads.ts";
import type { ElementKind } from "#contracts/seismic-event/bulletin-objects.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { Steps } from "../kernel/iteration.ts";
import type { FileReading } from "./file-sense.ts";

/** Receives a reader's findings in file order. Lines count from 1. */
export type RowSink = {
  /**
   * One readable row; `line` is where it begins. Formats that say more of an event give its bulletin,
   * of which the row is the view; a row of JSON that has one beside it has it as its member.
   */
  readonly row: (row: JsonObject, line: number, bulletin?: Bulletin) => void;
  /** A row that could not be read. */
  readonly error: (line: number, message: string, details?: RowErrorDetails) => void;
  /** A remark for people on a readable row, or on the file. */
  readonly warning: (line: number, message: string) => void;
};

/** A readable row of a file, as its reader tells it. */
export type FileRow = {
  readonly row: JsonObject;
  /** Where it begins, from 1. */
  readonly line: number;
  readonly bulletin?: Bulletin | undefined;
};

export type RowErrorDetails = {
  /** The id of the row's event as it stands in the file, if readable. */
  readonly publicId?: string;
  /** The elements that are lost with the event, where it is read whole; null where they are unknown. */
  readonly elements?: ElementCounts | null;
  /** The rest of the file cannot be read, not just a row. */
  readonly fatal?: true;
  /** The file exceeds a limit, which its sender can mend: nothing of it is imported. */
  readonly beyondLimit?: true;
};

/** Facts about a file that has been read to its end. */
export type ReadResult = {
  /** Names of the columns: the file's own for delimited text, canonical attribute names otherwise. */
  readonly headers: readonly string[];
  /** The file's own names that are no headers, up to a limit, where its columns have canonical names. */
  readonly members?: readonly string[];
  /** Headers without any value, where they are canonical names. */
  readonly empty?: readonly string[];
  readonly format: UploadFormat;
  /** There is a header or an envelope: without rows the file is an empty catalogue. */
  readonly isCatalogue: boolean;
  /** What the whole file says of its times, by which it is to be read again. */
  readonly again?: FileReading;
  /** Bytes of the file are none of its encoding, and are lost. */
  readonly isLossy?: true;
  /** The elements of the file by kind, where rows may have bulletins. */
  readonly elements?: ElementTallies;
};

/** The formats in the answer to an upload. */
export type UploadFormat = (typeof UPLOAD_FORMATS)[number];

/**
 * A reader of one format. It takes the decoded text of a file in pieces (never cut inside a
 * surrogate pair) and passes rows to its sink as soon as they are complete. It holds at most one row
 * and the unread text, unless its own description says more, and never throws because of the content:
 * what cannot be read is reported as an error.
 */
export type FormatReader = {
  readonly write: (text: string) => void;
  /**
   * Reports the rest: a row that is cut off, and all rows of a format that tells only at its end what belongs
   * to them. In steps, of which each passes on rows of some hundred KiB or one larger row, so that they can be
   * taken in between. Called once.
   */
  readonly end: () => Steps<ReadResult>;
};

type Outcome = "kept" | "dropped";

/** Counts what a file's events have by kind, and what of it becomes a row's bulletin. */
export function createElementTally() {
  const tallies: { [K in ElementKind]?: ElementTally } = {};

  function add(kind: ElementKind, count: number, outcome: Outcome): void {
    if (count === 0) return;
    const tally = tallies[kind] ?? { read: 0, kept: 0, dropped: 0 };
    tallies[kind] = { ...tally, read: tally.read + count, [outcome]: tally[outcome] + count };
  }

  function addEvent(counts: ElementCounts | null, outcome: Outcome): void {
    add("event", 1, outcome);
    if (counts === null) return;
    for (const [kind, count] of Object.entries(counts)) add(kind as ElementKind, count, outcome);
  }

  return {
    /** An event with so many elements. */
    add: addEvent,
    keep: (bulletin: Bulletin): void => addEvent(countElements(bulletin), "kept"),
    /** An event that makes no row, with all its parts; null where they cannot be read. */
    drop: (bulletin: Bulletin | null): void =>
      addEvent(bulletin && countElements(bulletin), "dropped"),
    tallies: (): ElementTallies => tallies,
  };
}
