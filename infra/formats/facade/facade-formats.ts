import { bulletinOfRow } from "#contracts/bulletin/row.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { closedAnswer, type LeftOut, nothingLeftOut, shownSolutions } from "../bulletin/parts.ts";
import { createFdsnTextWriter } from "../delimited/fdsn-text.ts";
import {
  clientId,
  FACADE_FIELD,
  type FacadeAnswer,
  isDeleted,
  placeOf,
  withPaddedTimes,
} from "../facade-row.ts";
import { type BulletinWriter, type ExportRow, FIELD, type FormatWriter } from "../format-writer.ts";
import { createIsfWriter } from "../isf/writer.ts";
import { eventJson } from "../json/writer.ts";
import { writeBulletin } from "../quakeml/writing/bulletin-writer.ts";
import { clientPublicId, createQuakemlWriter } from "../quakeml/writing/row-writer.ts";
import { createScmlWriter } from "../scml/writer.ts";
import {
  createComcatCsvWriter,
  createComcatDetailWriter,
  createComcatGeojsonWriter,
} from "./comcat.ts";
import { createAtomWriter, createEmscJsonWriter } from "./emsc-atom.ts";
import { createKmlWriter } from "./kml.ts";

/** QuakeML's type of an event that is none (QuakeML 1.2, BED, EventType). */
const TYPE = "not existing" as const;

/** For formats without a status: removed events have the type `not existing`, in their bulletins too. */
function withDeletedTyped(writer: FormatWriter): FormatWriter {
  return {
    ...writer,
    row(row, bulletin) {
      if (!isDeleted(row)) return writer.row(row, bulletin);
      const typed = bulletin && { ...bulletin, type: TYPE };
      return writer.row(row.with(FIELD.event_type, TYPE), typed);
    },
  };
}

/**
 * Writes whole events: one without a bulletin gives its row as one.
 * @param idOf the public id of an event; by default its bulletin's own
 */
function ofWholeEvents(
  { begin, event, end }: BulletinWriter,
  idOf?: (row: ExportRow) => string,
): FormatWriter {
  return {
    begin,
    row(row, bulletin) {
      const whole = bulletin ?? bulletinOfRow(JSON.parse(eventJson(row)) as SeismicEvent);
      return event(idOf === undefined ? whole : { ...whole, publicID: idOf(row) });
    },
    end,
  };
}

type WrittenFormat = {
  readonly contentType: string;
  readonly createWriter: (answer: FacadeAnswer) => FormatWriter;
  /** Whether it is made of all that is known of the events, not of their rows. */
  readonly isOfWholeEvents?: true;
};

/**
 * The formats of the FDSN event service: the standard's xml and text, USGS ComCat's geojson, csv and kml,
 * EMSC's json, ISC's isf, SeisComP's sc3ml; and those of summary feeds. Events without a region are placed
 * by their Flinn-Engdahl region; times have 0, 3 or 6 fractional digits.
 */
export const FACADE_FORMATS = {
  xml: {
    contentType: "application/xml",
    createWriter: (answer) => withDeletedTyped(createClientQuakemlWriter(answer)),
  },
  text: {
    contentType: "text/plain; charset=utf-8",
    createWriter: (answer) =>
      withDeletedTyped(withPaddedTimes(createFdsnTextWriter(answer, { idOf: clientId, placeOf }))),
  },
  geojson: {
    contentType: "application/json; charset=utf-8",
    createWriter: createComcatGeojsonWriter,
  },
  csv: {
    contentType: "text/csv; charset=utf-8; header=present",
    createWriter: createComcatCsvWriter,
  },
  kml: {
    contentType: "application/vnd.google-earth.kml+xml",
    createWriter: (answer) => withDeletedTyped(withPaddedTimes(createKmlWriter(answer, placeOf))),
  },
  json: {
    contentType: "application/json; charset=utf-8",
    createWriter: createEmscJsonWriter,
  },
  isf: {
    contentType: "text/plain; charset=utf-8",
    createWriter: ({ title }) => withDeletedTyped(ofWholeEvents(createIsfWriter(title))),
    isOfWholeEvents: true,
  },
  sc3ml: {
    contentType: "application/xml",
    createWriter: () => withDeletedTyped(ofWholeEvents(createScmlWriter(), clientPublicId)),
    isOfWholeEvents: true,
  },
  /** As readers of summary feeds take it: GeoJSON's coordinates are numbers (RFC 7946, 3.1.1). */
  feed: {
    contentType: "application/json; charset=utf-8",
    createWriter: (answer) => createComcatGeojsonWriter(answer, ""),
  },
  /** One event, as ComCat answers a query by its id. */
  detail: {
    contentType: "application/json; charset=utf-8",
    createWriter: createComcatDetailWriter,
  },
  atom: { contentType: "application/atom+xml", createWriter: createAtomWriter },
} as const satisfies Record<string, WrittenFormat>;

export type FacadeFormat = keyof typeof FACADE_FORMATS;

export function isOfWholeEvents(format: FacadeFormat): boolean {
  const written: WrittenFormat = FACADE_FORMATS[format];
  return written.isOfWholeEvents === true;
}

/**
 * QuakeML for clients: events as their rows show them. Where more is wanted, one that has a bulletin is
 * made of that alone: its objects have their own ids, the event has the service's. The document ends
 * with a comment that counts what was left out so that every reference leads somewhere.
 */
function createClientQuakemlWriter(answer: FacadeAnswer): FormatWriter {
  const rows = withPaddedTimes(createQuakemlWriter(answer, { ...answer, regions: true }));
  const { inclusion } = answer;
  if (inclusion === null) return rows;
  const leftOut = nothingLeftOut();
  return {
    begin: rows.begin,
    row(row, bulletin = null) {
      if (bulletin === null) return rows.row(row);
      const place = row[FACADE_FIELD.matched] ?? null;
      const matched = place === null ? undefined : bulletin.magnitude?.[Number(place)];
      const shown = { ...shownSolutions(bulletin), matched };
      const event = closedAnswer(bulletin, shown, inclusion, leftOut);
      return writeBulletin(event, { form: "valid", publicID: clientPublicId(row) });
    },
    end: () => rows.end() + remarkOn(leftOut),
  };
}

/** "" where nothing was left out. */
function remarkOn({ references, objects }: LeftOut): string {
  const parts = [
    ...[...references].map(([name, count]) => `${count} ${name}`),
    ...[...objects].map(([type, count]) => `${count} ${type} without what it needs`),
  ];
  return parts.length === 0 ? "" : `<!-- Left out, as it leads nowhere: ${parts.join(", ")} -->\n`;
}
