import { createAtomWriter } from "../atom/atom-writer.ts";
import { ofWholeEvents } from "../bulletin/whole-events.ts";
import { createComcatCsvWriter } from "../comcat/comcat-csv-writer.ts";
import { createFlatFeatureWriter } from "../comcat/comcat-feature.ts";
import {
  createComcatDetailWriter,
  createComcatGeojsonWriter,
} from "../comcat/comcat-geojson-writer.ts";
import { createFdsnTextWriter } from "../delimited/fdsn-text-writer.ts";
import { createEmscJsonWriter } from "../emsc/emsc-json-writer.ts";
import { clientId, placeOf } from "../facade-event.ts";
import { type CreateFacadeWriter, withPaddedTimes } from "../facade-row.ts";
import { createIsfWriter } from "../isf/isf-writer.ts";
import { createKmlWriter } from "../kml/kml-writer.ts";
import { clientPublicId } from "../quakeml/write-event.ts";
import { createScmlWriter } from "../scml/scml-writer.ts";
import { createClientQuakemlWriter } from "./client-quakeml-writer.ts";
import { withDeletedTyped } from "./deleted-events.ts";

type WrittenFormat = {
  readonly contentType: string;
  readonly createWriter: CreateFacadeWriter;
  /** Whether it is made of all that is known of the events, not of their rows. */
  readonly isOfWholeEvents?: true;
};

/**
 * The formats of the FDSN event service: the standard's xml and text, USGS ComCat's geojson, csv and kml,
 * EMSC's json, ISC's isf, SeisComP's sc3ml; and those of summary feeds. Events without a region are placed by their Flinn-Engdahl region; times have 0, 3 or 6
 * fractional digits.
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
    createWriter: (answer) => createComcatGeojsonWriter(answer, createFlatFeatureWriter(answer)),
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
