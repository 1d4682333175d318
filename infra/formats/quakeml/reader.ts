import {
  countElements,
  type ElementCounts,
  type ElementTallies,
} from "#contracts/bulletin/counts.ts";
import {
  ownAttributesOf,
  withOwnAttributes,
  withoutRowsOwn,
} from "#contracts/bulletin/own-members.ts";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import {
  ELEMENT_KINDS,
  type ElementKind,
  MAX_BULLETIN_BYTES,
  MAX_BULLETIN_ELEMENTS,
} from "#contracts/seismic-event/bulletin-objects.ts";
import { OWN_AUTHORITY } from "#contracts/seismic-event/ids.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { MIB } from "#contracts/units.ts";
import { createRepeatedIds } from "../../files/text-index.ts";
import type { Steps } from "../../kernel/iteration.ts";
import { childrenOf, isOwnEvent, isServiceId, type Members, textOf } from "../bulletin/members.ts";
import { rowOfBulletin } from "../bulletin/row.ts";
import type { FormatReader, RowErrorDetails, RowSink } from "../format-reader.ts";
import { EXPORT_FIELDS } from "../format-writer.ts";
import { createZeroTaker, isNeries } from "../written-values.ts";
import {
  added,
  type Counts,
  createObjectStore,
  createObjectsBeside,
  joinEvent,
  type ListName,
  type Named,
  type ObjectStore,
  type ObjectsBeside,
  refersBeside,
  type Taken,
} from "./beside.ts";
import {
  createObjectBuilder,
  type EventReading,
  finishEvent,
  newReading,
  referenceFaults,
} from "./object-builder.ts";
import { type Completed, type DocumentPlan, type OpenObject, ROWS, WHOLE } from "./type-plans.ts";
import { createXmlTree } from "./xml-tree.ts";

type QuakemlOptions = {
  /** True for an agency's answer: the importer itself handles a lack of events and repeated ids. */
  readonly isAnswer?: boolean;
  /** True to read events whole: rows come with bulletins, and elements are counted. */
  readonly bulletins?: boolean;
};

/**
 * A reader of QuakeML 1.0, 1.1, 1.2 and its real-time variant in any namespace: one row per event,
 * from its preferred origin and magnitude, with depth and uncertainties in kilometres. Rows have
 * canonical names; the full public id, creation time, version and the members in
 * `infra/formats/bulletin/row.ts` are under `extra`. In the real-time variant events whose objects
 * stand beside them come in the steps of the end, as in SCML, and take as much memory until then. With
 * `bulletins`, a row comes with all that the document says of the event, unless our own writer made the
 * event of a row alone; else all but what is in the row is skipped.
 *
 * An event without origin, time, latitude or longitude is an error at the line of its start tag.
 * Malformed or truncated XML, a DOCTYPE, nesting beyond 64 levels and a single text of more than 4
 * Mi characters end the reading with an error; earlier events are rows.
 */
export function createQuakemlReader(
  sink: RowSink,
  { isAnswer = false, bulletins = false }: QuakemlOptions = {},
): FormatReader {
  const document = bulletins ? WHOLE : ROWS;
  return createDocumentReader(sink, { format: "quakeml", document, isAnswer, bulletins });
}

type Kept = { readonly event: OpenObject; readonly counts: Counts };
/** What events take in a step of the end: as much as from a piece of a file, or one larger event. */
const STEP_BYTES = 256 * 1024;

type Waiting = { readonly place: number; readonly line: number };
type Beside = { readonly store: ObjectStore; readonly objects: ObjectsBeside };

/**
 * Combines events with their objects. In QuakeML these are inside the event, which is then complete at
 * its end tag. In the real-time variant, and in SCML, they stand before or after it and are named by
 * references; such an event is complete at the end of the document. Until then both are kept in a file, and
 * their ids and places in memory.
 * @param complete `taken`: what stood beside the event and belongs to it; null where nothing can
 * @param refuse gets an event that cannot be complete
 */
function createEventAssembler(
  complete: (event: OpenObject, line: number, taken: Taken | null) => void,
  refuse: (event: OpenObject, line: number, message: string) => void,
  warning: (line: number, message: string) => void,
) {
  const waiting: Waiting[] = [];
  let beside: Beside | null = null;

  function open(): Beside {
    const store = createObjectStore();
    beside = { store, objects: createObjectsBeside(store) };
    return beside;
  }

  /** Bytes that the event took in the file, with its objects. */
  function finish({ place, line }: Waiting, { store, objects }: Beside, isOnly: boolean): number {
    const { event, counts } = store.take(place) as Kept;
    const own = store.sizeOf(place);
    const taken = joinEvent(event, objects, isOnly);
    if (typeof taken === "string") {
      refuse(event, line, taken);
      return own;
    }
    complete(event, line, { ...taken, keep: () => added(taken.keep(), counts) });
    return own + taken.bytes;
  }

  return {
    addEvent(event: OpenObject, line: number, counts: Counts): void {
      if (!refersBeside(event)) complete(event, line, null);
      else waiting.push({ place: (beside ?? open()).store.add({ event, counts }), line });
    },
    /** Adds an object that stands beside the events. */
    addObject(
      list: ListName,
      object: OpenObject,
      counts: Counts,
      owners: readonly Named[] = [],
    ): void {
      (beside ?? open()).objects.add(list, object, counts, owners);
    },
    /**
     * Completes the events that name objects beside them, as many in a step as have STEP_BYTES together.
     * @param isOnly the document is whole and has one event
     */
    *end(isOnly: boolean): Steps<void> {
      if (beside === null) return;
      const { store, objects } = beside;
      try {
        let bytes = 0;
        for (const one of waiting) {
          if (bytes >= STEP_BYTES) {
            yield;
            bytes = 0;
          }
          bytes += finish(one, beside, isOnly);
        }
        for (const [list, count] of objects.unused()) {
          const what = list === "foreign" ? "foreign elements" : `elements ${list}`;
          warning(1, `${what} beside the events that belong to none: ${count}; left out`);
        }
      } finally {
        store.close();
      }
    },
  };
}

/** The ids that our writer gives to the one origin and the one magnitude of a row. */
const OWN_SOLUTION = new RegExp(`^${OWN_AUTHORITY.replace(".", "\\.")}(?:origin|magnitude)/\\w+$`);

/** True for an event that our writer made of a row alone: the row says all of it. */
function isRowAlone(event: Members, { isBeyondRow }: EventReading): boolean {
  if (isBeyondRow || !isOwnEvent(event)) return false;
  const origins = childrenOf(event, "origin");
  const magnitudes = childrenOf(event, "magnitude");
  if (origins.length !== 1 || magnitudes.length > 1) return false;
  return [...origins, ...magnitudes].every(
    ({ publicID }) => typeof publicID === "string" && OWN_SOLUTION.test(publicID),
  );
}

/** What a child of eventParameters counts is counted with the first event or object that it gives. */
const NO_COUNTS: Counts = ELEMENT_KINDS.map(() => 0);
/** Enough for the tags before the first event, which identify the document's source. */
const HEAD_LENGTH = 4096;

const WHOLE_LIMIT = `is larger than ${MAX_BULLETIN_BYTES / MIB} MiB as JSON, or has more than ${MAX_BULLETIN_ELEMENTS.toLocaleString("en")} elements,`;

type DocumentOptions = Required<QuakemlOptions> & {
  readonly format: "quakeml" | "scml";
  readonly document: DocumentPlan;
  /** What a child of eventParameters gives; by default an event itself, or a valid object beside the events. */
  readonly given?: (element: Completed) => readonly Given[];
};

/** An event, or an object that stands beside the events and belongs to its `owners`, too. */
export type Given = {
  readonly list: ListName | "event";
  readonly object: OpenObject;
  readonly owners?: readonly Named[];
};

/** A reader of XML that has events and their objects by a table of types: QuakeML, and SCML. */
export function createDocumentReader(
  sink: RowSink,
  { format, document, given = givenItself, isAnswer, bulletins }: DocumentOptions,
): FormatReader {
  const occurred = new Set<string>();
  const warnOfIdentity = isAnswer ? null : createIdentityCheck(sink);
  const builder = createObjectBuilder(bulletins, document);
  const notes = createFileNotes();
  let events = 0;
  let faulted = false;
  let head = "";
  /** Null until the first event is complete; then whether 0 means an unknown value. */
  let zeroIsUnknown: boolean | null = null;
  const takeZeros = createZeroTaker();
  /** What was noted of the event that is being completed. */
  let reading: EventReading = newReading();

  const assembler = createEventAssembler(
    tell,
    (event, line, message) => sink.error(line, message, detailsOf(event)),
    sink.warning,
  );

  function takeElement(element: Completed, line: number): void {
    reading = builder.reading();
    notes.read(reading.counts);
    for (const [place, { list, object, owners }] of given(element).entries()) {
      const counts = place === 0 ? [...reading.counts] : NO_COUNTS;
      if (list === "event") takeEvent(object, line, counts);
      else assembler.addObject(list, object, counts, owners);
    }
    notes.faults(reading.faults, line);
  }

  function takeEvent(event: OpenObject, line: number, counts: Counts): void {
    events++;
    const isNamed = textOf(event, "publicID") !== undefined;
    warnOfIdentity?.(isNamed ? String(event["publicID"]) : undefined, line);
    finishEvent(event, reading);
    assembler.addEvent(event, line, counts);
  }

  const tree = createXmlTree(document, builder, {
    element: takeElement,
    tooDeep(line) {
      notes.note("foreign elements nested too deep, left out", 1, line);
    },
    tooLarge(name, line) {
      notes.read(builder.reading().counts);
      if (name === "event") events++;
      const what = bulletins ? WHOLE_LIMIT : "holds more than can be read";
      sink.error(line, `the ${name} ${what} and was skipped`, bulletins ? { elements: null } : {});
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

  function tell(event: OpenObject, line: number, taken: Taken | null): void {
    const isJoined = taken !== null;
    const warn = (message: string) => sink.warning(line, message);
    const isAlone = !bulletins || (!isJoined && isRowAlone(event, reading));
    // A bulletin's row has no more digits than the bulletin.
    const spelled = reading.spelled.filter(({ isUnknown }) => isAlone || isUnknown);
    const row = rowOfBulletin(event, warn, isJoined ? [] : spelled);
    if (typeof row === "string") {
      sink.error(line, row, detailsOf(event, isJoined));
      return;
    }
    if (bulletins && !isJoined && isTooLarge(event, reading)) {
      sink.error(line, `the event ${WHOLE_LIMIT} and was skipped`, detailsOf(event, isJoined));
      return;
    }
    zeroIsUnknown ??= isNeries(head);
    const zeros = zeroIsUnknown ? takeZeros(row, warn) : null;
    if (zeros !== null) row["extra"] = { ...(row["extra"] as JsonObject | undefined), ...zeros };
    for (const name in row) occurred.add(name);
    const counts = taken?.keep() ?? reading.counts;
    if (!bulletins) {
      sink.row(row, line);
      return;
    }
    notes.kept(counts);
    notes.references(event, line);
    if (isAlone) sink.row(row, line);
    else sink.row(row, line, withoutAttributes(withoutRowsOwn(event as Bulletin), zeros));
  }

  function detailsOf(event: OpenObject, isJoined = true): RowErrorDetails {
    const publicId = textOf(event, "publicID");
    const isForeign = publicId !== undefined && !isServiceId(publicId);
    return {
      ...(isForeign && { publicId }),
      ...(bulletins && {
        elements: isJoined ? countElements(event as Bulletin) : countsByKind(reading.counts),
      }),
    };
  }

  return {
    write(text) {
      if (head.length < HEAD_LENGTH) head += text.slice(0, HEAD_LENGTH - head.length);
      tree.write(text);
    },
    *end() {
      tree.end();
      yield* assembler.end(events === 1 && !faulted);
      if (bulletins) notes.tell(sink.warning);
      const headers = EXPORT_FIELDS.filter((name) => occurred.has(name));
      const isCatalogue = !faulted && head.includes(document.parameters);
      if (events === 0 && !faulted && !isCatalogue && !isAnswer) {
        sink.error(1, `the document holds no ${document.parameters}`);
      }
      const result = { headers, format, isCatalogue };
      return bulletins ? { ...result, elements: notes.elements() } : result;
    },
  };
}

/** The bulletin that says of these attributes that its row has none of them, whatever its solutions say. */
function withoutAttributes(bulletin: Bulletin, unknown: JsonObject | null): Bulletin {
  if (unknown === null) return bulletin;
  const none = Object.fromEntries(Object.keys(unknown).map((name) => [name, null]));
  return withOwnAttributes(bulletin, { ...ownAttributesOf(bulletin), ...none });
}

function givenItself({ plan, object, isValid }: Completed): readonly Given[] {
  const list = plan.name as ListName | "event";
  return isValid || list === "event" ? [{ list, object }] : [];
}

function countsByKind(counts: Counts): ElementCounts {
  const [, ...kinds] = ELEMENT_KINDS.map((kind, place) => [kind, counts[place] ?? 0]);
  return Object.fromEntries(kinds as [string, number][]) as ElementCounts;
}

/** What was read is at most half of its JSON: only then must that be made. */
function isTooLarge(event: OpenObject, { size }: EventReading): boolean {
  return (
    size > MAX_BULLETIN_BYTES / 2 && Buffer.byteLength(JSON.stringify(event)) > MAX_BULLETIN_BYTES
  );
}

/** Warns of events without a public id, and with one that was there before. */
function createIdentityCheck(sink: Pick<RowSink, "warning">) {
  const isRepeated = createRepeatedIds();
  return (publicId: string | undefined, line: number): void => {
    if (publicId === undefined) sink.warning(line, "the event has no publicID");
    else if (isRepeated(publicId)) {
      sink.warning(line, `publicID ${publicId.slice(0, 200)} was there before`);
    }
  };
}

/** Counts the elements of a file, and what is doubtful in them: told once a file, from the first line. */
function createFileNotes() {
  const read = new Map<ElementKind, number>();
  const kept = new Map<ElementKind, number>();
  const notes = new Map<string, { count: number; readonly line: number }>();

  function note(text: string, count: number, line: number): void {
    const present = notes.get(text);
    if (present === undefined) notes.set(text, { count, line });
    else present.count += count;
  }

  function addCounts(to: Map<ElementKind, number>, counts: readonly number[]): void {
    for (const [i, kind] of ELEMENT_KINDS.entries()) {
      const count = counts[i] ?? 0;
      if (count > 0) to.set(kind, (to.get(kind) ?? 0) + count);
    }
  }

  function elements(): ElementTallies {
    const tallies: ElementTallies = {};
    for (const kind of ELEMENT_KINDS) {
      const all = read.get(kind);
      if (all === undefined) continue;
      const stayed = kept.get(kind) ?? 0;
      tallies[kind] = { read: all, kept: stayed, dropped: all - stayed };
    }
    return tallies;
  }

  return {
    note,
    read: (counts: readonly number[]) => addCounts(read, counts),
    kept: (counts: readonly number[]) => addCounts(kept, counts),
    /** An element that is skipped. */
    skipped(name: string): void {
      const kind = ELEMENT_KINDS.find((known) => known === name.slice(name.indexOf(":") + 1));
      if (kind !== undefined) read.set(kind, (read.get(kind) ?? 0) + 1);
    },
    /** Values that QuakeML does not allow where they stand. */
    faults(members: readonly string[], line: number): void {
      for (const member of members) {
        note(`values of ${member} that QuakeML does not have there, kept as foreign`, 1, line);
      }
    },
    references(event: OpenObject, line: number): void {
      const { dangling, repeated } = referenceFaults(event);
      for (const [kind, count] of dangling) {
        note(`references to an element ${kind} that is not in the event, kept`, count, line);
      }
      for (const [kind, count] of repeated) {
        const text = `publicIDs that an element ${kind} before has, kept: references mean the first`;
        note(text, count, line);
      }
    },
    elements,
    tell(warning: (line: number, message: string) => void): void {
      for (const [text, { count, line }] of notes) warning(line, `${text} (${count})`);
      const dropped = Object.entries(elements()).filter(([, tally]) => tally.dropped > 0);
      if (dropped.length === 0) return;
      const list = dropped.map(([kind, tally]) => `${kind} ${tally.dropped}`).join(", ");
      warning(1, `not kept: ${list}; the errors say why`);
    },
  };
}
