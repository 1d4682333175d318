import {
  emptyRecord,
  type SeismicEvent,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { FACADE_FORMATS } from "#infra/formats/facade/facade-formats.ts";
import type { FacadeAnswer } from "#infra/formats/facade-row.ts";
import type { ExportRow, FormatWriter } from "#infra/formats/format-writer.ts";
import { anyRecord } from "../../../support/arbitrary-record.ts";
import { exportRowOf } from "../../../support/export-row.ts";
import { withKept } from "../../../support/formats/any-kept.ts";
import { exportedCatalogue } from "../../../support/formats/exported.ts";

const CATALOGUE = "https://host.example/api/catalogues/7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b";

export const ANSWER: FacadeAnswer = {
  ...exportedCatalogue("Kaikōura <&> “more”"),
  service: `${CATALOGUE}/fdsnws/event/1`,
  address: CATALOGUE,
  request: `${CATALOGUE}/fdsnws/event/1/query?format=geojson`,
  title: 'Kaikōura "2016"',
  count: 2,
  limit: null,
  offset: 1,
  allOrigins: false,
  allMagnitudes: false,
  inclusion: null,
};

export const UPDATED = "2024-05-07T08:24:09.853066Z";

export type FacadeEvent = SeismicEvent & {
  readonly updated?: string | null;
  readonly bulletin_sha256?: string;
  readonly matched?: number;
  readonly members?: readonly object[];
};

/** The row of an event for clients of the event service. */
export function facadeRowOf(event: FacadeEvent): ExportRow {
  const { updated = UPDATED, members, bulletin_sha256 = null, matched, ...rest } = event;
  const ofMembers = members === undefined ? null : JSON.stringify(members);
  const place = matched === undefined ? null : String(matched);
  return [...exportRowOf(rest), bulletin_sha256, updated, ofMembers, place];
}

/** The whole answer of some events. */
export function answerOf(
  format: keyof typeof FACADE_FORMATS,
  events: readonly FacadeEvent[],
  answer: Partial<FacadeAnswer> = {},
): string {
  return written(FACADE_FORMATS[format].createWriter, events, answer);
}

export function written(
  createWriter: (answer: FacadeAnswer) => FormatWriter,
  events: readonly FacadeEvent[],
  answer: Partial<FacadeAnswer> = {},
): string {
  const writer = createWriter({ ...ANSWER, count: events.length, ...answer });
  return [
    writer.begin(),
    ...events.map((event) => writer.row(facadeRowOf(event))),
    writer.end(),
  ].join("");
}

/** An event of which an agency told all that a summary holds. */
export const FULL: SeismicEvent = {
  id: "0f0e1d2c-0000-8000-8000-000100000001",
  ...emptyRecord({ time: "2016-11-13T11:02:56.34609Z", latitude: -42.69, longitude: 173.02 }),
  depth: 15.1,
  magnitude: 7.8,
  magnitude_type: "Mww",
  region: 'Kaikōura, "Te Waipounamu"',
  source_id: "us1000778i",
  event_type: "earthquake",
  evaluation_mode: "manual",
  evaluation_status: "reviewed",
  used_station_count: 93,
  azimuthal_gap: 21.5,
  standard_error: 0.62,
  minimum_distance: 0.23,
  magnitude_uncertainty: 0.04,
  magnitude_station_count: 61,
  depth_uncertainty: 1.8,
  horizontal_uncertainty: 4.2,
  agency_id: "US",
  author: "a person",
};

/** An event of which only place and time are known, on the antimeridian. */
export const BARE: SeismicEvent = {
  id: "0f0e1d2c-0000-8000-8000-000100000002",
  ...emptyRecord({ time: "1000-01-01T00:00:00Z", latitude: -20.5, longitude: -180 }),
};

/** No earthquake, of an id that only some formats can carry. */
export const BLAST: SeismicEvent = {
  id: "0f0e1d2c-0000-8000-8000-000100000003",
  ...emptyRecord({ time: "2024-02-29T23:59:59.9Z", latitude: 48, longitude: 12 }),
  depth: -0.5,
  magnitude: -0.04,
  source_id: "pit 7, shot 3",
  event_type: "quarry blast",
  event_type_certainty: "suspected",
  evaluation_mode: "automatic",
  agency_id: "BGR",
};

const sourceOf = (catalogue_id: string, source: string, source_id: string | null) => ({
  ...{ catalogue_id, event_id: `of ${catalogue_id}`, source_id, source },
  ...{ time_difference: 0, distance: 0, quality_score: 50, chosen: catalogue_id === "a" },
});

/** An event of two catalogues, and their members as the API answers them. */
export const MERGED: FacadeEvent = {
  ...BARE,
  id: "0f0e1d2c-0000-8000-8000-000100000004",
  time: "2024-03-01T00:00:01.25Z",
  latitude: 5.5,
  longitude: 180,
  depth: 33,
  magnitude: 5.1,
  magnitude_type: "mb",
  source_id: "2024efgh",
  source_events: [
    sourceOf("a", "GeoNet", "2024efgh"),
    sourceOf("b", "USGS", "us7000abcd"),
    sourceOf("c", "USGS", null),
  ],
};

function memberOf(event: Partial<SeismicEvent>): object {
  const { source_events: _, ...member } = { ...MERGED, source_id: null, ...event };
  return member;
}

export const MEMBERS = [
  memberOf({ id: "aaaaaaaa-0000-8000-8000-000100000001", source_id: "2024efgh", agency_id: "WEL" }),
  memberOf({
    id: "bbbbbbbb-0000-8000-8000-000100000002",
    time: "2024-03-01T00:00:02.5Z",
    latitude: 5.6,
    depth: null,
    magnitude: 5.3,
    magnitude_type: "Mww",
    agency_id: "us",
    horizontal_uncertainty: 7.5,
    extra: { time_fixed: false, note: "kept nowhere" },
  }),
  memberOf({
    id: "cccccccc-0000-8000-8000-000100000003",
    longitude: 179.9,
    magnitude: null,
    magnitude_type: null,
    agency_id: "us",
  }),
];

/** As records are stored: no empty `extra`, and no negative zero, which JSON has not. */
export const storedRecord = withKept(anyRecord).map((record) => ({
  ...(JSON.parse(JSON.stringify(record)) as SeismicEventRecord),
  ...(Object.keys(record.extra ?? {}).length === 0 ? { extra: null } : {}),
}));

/** Events of these records, with ids of their own. */
export function eventsOf(records: readonly SeismicEventRecord[]): SeismicEvent[] {
  return records.map((record, i) => ({ id: BARE.id.replace(/.$/, `${i}`), ...record }));
}
