import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { countElements, ELEMENT_KINDS } from "#contracts/bulletin/element-counts.ts";
import { MAX_BULLETIN_BYTES, MAX_BULLETIN_ELEMENTS } from "#contracts/bulletin/limits.ts";
import type { Kind } from "#contracts/bulletin/quakeml-types.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { MIB } from "#contracts/units.ts";
import type { FormatReader, RowErrorDetails, RowSink } from "../format-reader.ts";
import { EXPORT_FIELDS } from "../format-writer.ts";
import { createZeroTaker, isNeries } from "../unknown-numbers.ts";
import { createEventAssembler } from "./event-assembler.ts";
import { isRowAlone } from "./own-plain-event.ts";
import { type EventReading, newReading } from "./reading/event-reading.ts";
import { createFileNotes } from "./reading/file-notes.ts";
import { finishEvent } from "./reading/finish-event.ts";
import type { OpenObject } from "./reading/foreign-of-object.ts";
import { createObjectBuilder } from "./reading/object-builder.ts";
import type { Completed } from "./reading/open-elements.ts";
import { ROWS, WHOLE } from "./reading/type-plans.ts";
import { textOf } from "./row/members.ts";
import { rowOfEvent } from "./row-of-bulletin.ts";
import { isServiceId } from "./service-id.ts";
import { createXmlTree } from "./xml-tree.ts";

/** Most ids remembered to find repeated ones; further ids are not checked. */
const MAX_REMEMBERED = 500_000;
/** Enough for the tags before the first event, which identify the document's source. */
const HEAD_LENGTH = 4096;

const WHOLE_LIMIT = `is larger than ${MAX_BULLETIN_BYTES / MIB} MiB as JSON, or has more than ${MAX_BULLETIN_ELEMENTS.toLocaleString("en")} elements,`;

export type QuakemlOptions = {
  /** True for an agency's answer: the importer itself handles a lack of events and repeated ids. */
  readonly isAnswer?: boolean;
  /** True to read events whole: rows come with bulletins, and elements are counted. */
  readonly bulletins?: boolean;
};

/**
 * A reader of QuakeML 1.0, 1.1, 1.2 and its real-time variant in any namespace: one row per event,
 * from its preferred origin and magnitude, with depth and uncertainties in kilometres. Rows have
 * canonical names; the full public id, creation time, version and the members in `extra-members.ts`
 * are under `extra`. With `bulletins`, a row comes with all that the document says of the event, unless
 * our own writer made the event of a row alone; else all but what is in the row is skipped.
 *
 * An event without origin, time, latitude or longitude is an error at the line of its start tag.
 * Malformed or truncated XML, a DOCTYPE, nesting beyond 64 levels and a single text of more than 4
 * Mi characters end the reading with an error; earlier events are rows.
 */
export function createQuakemlReader(
  sink: RowSink,
  { isAnswer = false, bulletins = false }: QuakemlOptions = {},
): FormatReader {
  const occurred = new Set<string>();
  const warnOfIdentity = isAnswer ? null : createIdentityCheck(sink);
  const builder = createObjectBuilder(bulletins);
  const notes = createFileNotes();
  let events = 0;
  let faulted = false;
  let head = "";
  /** Null until the first event is complete; then whether 0 means an unknown value. */
  let zeroIsUnknown: boolean | null = null;
  const takeZeros = createZeroTaker();
  /** What was noted of the event that is being completed. */
  let reading: EventReading = newReading();

  const assembler = createEventAssembler({
    complete: tell,
    error: sink.error,
    warning: sink.warning,
  });

  function takeElement({ plan, object, isValid }: Completed, line: number): void {
    reading = builder.reading();
    notes.read(reading.counts);
    if (plan.name === "event") {
      events++;
      const isNamed = textOf(object, "publicID") !== undefined;
      warnOfIdentity?.(isNamed ? String(object["publicID"]) : undefined, line);
      finishEvent(object, reading);
      assembler.addEvent(object, line);
    } else if (isValid) assembler.addObject(plan.name as Kind, object, line);
    notes.faults(reading.faults, line);
  }

  const tree = createXmlTree(bulletins ? WHOLE : ROWS, builder, {
    element: takeElement,
    tooDeep(line) {
      notes.note("foreign elements nested too deep, left out", 1, line);
    },
    tooLarge(name, line) {
      notes.read(builder.reading().counts);
      if (name === "event") events++;
      const what = bulletins ? WHOLE_LIMIT : "holds more than can be read";
      sink.error(line, `the ${name} ${what} and was skipped`);
    },
    skipped: notes.skipped,
    fault(line, message, within) {
      faulted = true;
      if (within !== null) notes.read(builder.reading().counts);
      const what = within === null ? "" : "this event is not complete, ";
      sink.error(within ?? line, `${what}line ${line}: ${message}; nothing after it was read`, {
        fatal: true,
      });
    },
  });

  function tell(event: OpenObject, line: number, isJoined: boolean): void {
    const warn = (message: string) => sink.warning(line, message);
    const isAlone = !bulletins || (!isJoined && isRowAlone(event, reading));
    const row = rowOfEvent(event, warn, isJoined ? [] : spelledIn(reading, isAlone));
    if (typeof row === "string") {
      sink.error(line, row, detailsOf(event));
      return;
    }
    if (bulletins && !isJoined && isTooLarge(event, reading)) {
      sink.error(line, `the event ${WHOLE_LIMIT} and was skipped`, detailsOf(event));
      return;
    }
    zeroIsUnknown ??= isNeries(head);
    const zeros = zeroIsUnknown ? takeZeros(row, warn) : null;
    if (zeros !== null) row["extra"] = { ...(row["extra"] as JsonObject | undefined), ...zeros };
    for (const name in row) occurred.add(name);
    if (!bulletins) {
      sink.row(row, line);
      return;
    }
    notes.kept(isJoined ? countsOf(event) : reading.counts);
    notes.references(event, line);
    if (isAlone) sink.row(row, line);
    else sink.row(row, line, event as Bulletin);
  }

  return {
    write(text) {
      if (head.length < HEAD_LENGTH) head += text.slice(0, HEAD_LENGTH - head.length);
      tree.write(text);
    },
    end() {
      tree.end();
      assembler.end();
      if (bulletins) notes.tell(sink.warning);
      const headers = EXPORT_FIELDS.filter((name) => occurred.has(name));
      const isCatalogue = !faulted && head.includes("eventParameters");
      if (events === 0 && !faulted && !isCatalogue && !isAnswer) {
        sink.error(1, "the document holds no eventParameters");
      }
      const result = { headers, format: "quakeml", isCatalogue } as const;
      return bulletins ? { ...result, elements: notes.elements() } : result;
    },
  };
}

/** A bulletin's row has no more digits than the bulletin. */
function spelledIn({ spelled }: EventReading, isRowAlone: boolean) {
  return isRowAlone ? spelled : spelled.filter(({ isUnknown }) => isUnknown);
}

function detailsOf(event: OpenObject): RowErrorDetails {
  const publicId = textOf(event, "publicID");
  return publicId === undefined || isServiceId(publicId) ? {} : { publicId };
}

/** What was read is at most half of its JSON: only then must that be made. */
function isTooLarge(event: OpenObject, { size }: EventReading): boolean {
  return (
    size > MAX_BULLETIN_BYTES / 2 && Buffer.byteLength(JSON.stringify(event)) > MAX_BULLETIN_BYTES
  );
}

function countsOf(event: OpenObject): number[] {
  const counts = countElements(event as Bulletin);
  return ELEMENT_KINDS.map((kind) => (kind === "event" ? 1 : counts[kind]));
}

/** Warns of events without a public id, and with one that was there before. */
function createIdentityCheck(sink: Pick<RowSink, "warning">) {
  const publicIds = new Set<string>();
  return (publicId: string | undefined, line: number): void => {
    if (publicId === undefined) sink.warning(line, "the event has no publicID");
    else if (publicIds.has(publicId)) {
      sink.warning(line, `publicID ${publicId.slice(0, 200)} was there before`);
    } else if (publicIds.size < MAX_REMEMBERED) {
      // A copy, because a slice would keep the whole text of the file in memory.
      publicIds.add(Buffer.from(publicId).toString());
    }
  };
}
