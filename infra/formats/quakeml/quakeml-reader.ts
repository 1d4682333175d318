import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import { EXPORT_FIELDS } from "../format-writer.ts";
import { createZeroTaker, isNeries } from "../unknown-numbers.ts";
import { createEventAssembler, detailsOf } from "./event-assembler.ts";
import { DOCUMENT, EVENT_PARAMETERS } from "./quakeml-shape.ts";
import { textOf } from "./row/members.ts";
import { type EventParts, readEvent } from "./row/read-event.ts";
import { createXmlTree } from "./xml-tree.ts";

/** Most ids remembered to find repeated ones; further ids are not checked. */
const MAX_REMEMBERED = 500_000;
/** Enough for the tags before the first event, which identify the document's source. */
const HEAD_LENGTH = 4096;

export type QuakemlOptions = {
  /** True for an agency's answer: the importer itself handles a lack of events and repeated ids. */
  readonly isAnswer?: boolean;
};

/**
 * A reader of QuakeML 1.0, 1.1, 1.2 and its real-time variant in any namespace: one row per event,
 * from its preferred origin and magnitude, with depth and uncertainties in kilometres. Rows have
 * canonical names; the full public id, creation time, version and the members in `extra-members.ts`
 * are under `extra`. Picks, arrivals, amplitudes, comments and foreign elements are skipped.
 *
 * An event without origin, time, latitude or longitude is an error at the line of its start tag.
 * Malformed or truncated XML, a DOCTYPE, nesting beyond 64 levels and a single text of more than 4
 * Mi characters end the reading with an error; earlier events are rows.
 */
export function createQuakemlReader(
  sink: RowSink,
  { isAnswer = false }: QuakemlOptions = {},
): FormatReader {
  const occurred = new Set<string>();
  const warnOfIdentity = isAnswer ? null : createIdentityCheck(sink);
  let events = 0;
  let faulted = false;
  let head = "";
  /** Null until the first event is complete; then whether 0 means an unknown value. */
  let zeroIsUnknown: boolean | null = null;
  const takeZeros = createZeroTaker();

  const assembler = createEventAssembler({ complete: tell, error: sink.error });
  const tree = createXmlTree(DOCUMENT, EVENT_PARAMETERS, {
    element(name, node, line) {
      if (name === "event") events++;
      assembler.add(name, node, line);
    },
    tooLarge(name, line) {
      if (name === "event") events++;
      sink.error(line, `the ${name} holds more than can be read and was skipped`);
    },
    fault(line, message, within) {
      faulted = true;
      const what = within === null ? "" : "this event is not complete, ";
      sink.error(within ?? line, `${what}line ${line}: ${message}; nothing after it was read`, {
        fatal: true,
      });
    },
  });

  function tell(parts: EventParts, line: number): void {
    const warn = (message: string) => sink.warning(line, message);
    warnOfIdentity?.(textOf(parts.event, "publicID"), line);
    const row = readEvent(parts, warn);
    if (typeof row === "string") {
      sink.error(line, row, detailsOf(parts.event));
      return;
    }
    zeroIsUnknown ??= isNeries(head);
    const zeros = zeroIsUnknown ? takeZeros(row, warn) : null;
    if (zeros !== null) row["extra"] = { ...(row["extra"] as JsonObject | undefined), ...zeros };
    for (const name in row) occurred.add(name);
    sink.row(row, line);
  }

  return {
    write(text) {
      if (head.length < HEAD_LENGTH) head += text.slice(0, HEAD_LENGTH - head.length);
      tree.write(text);
    },
    end() {
      tree.end();
      assembler.end();
      const headers = EXPORT_FIELDS.filter((name) => occurred.has(name));
      const isCatalogue = !faulted && head.includes("eventParameters");
      if (events === 0 && !faulted && !isCatalogue && !isAnswer) {
        sink.error(1, "the document holds no eventParameters");
      }
      return { headers, format: "quakeml", isCatalogue };
    },
  };
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
