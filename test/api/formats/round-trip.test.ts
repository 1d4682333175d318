import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { EXPORT_FORMATS, type ExportFormat } from "#contracts/http/exports.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";
import { createFrom, eventsOf, exportFile, uploadFile } from "./file-round.ts";

const service = sharedService();

/** Valid events of one catalogue, no two with the same source id. */
const anyEvents = fc
  .uniqueArray(anyRecord, { maxLength: 12, selector: (r) => r.source_id ?? Symbol("none") })
  .map((records) => records.map(({ source_events: _, ...record }) => record))
  .filter((records) => records.length > 0);

test("a catalogue that is exported and uploaded again is the same", async () => {
  const client = await service.loginAs("editor");
  await fc.assert(
    fc.asyncProperty(anyEvents, async (events) => {
      const { id, validationReport } = await createCatalogue(client, { events });
      expect(validationReport.invalidEvents).toEqual([]);
      const given = await eventsOf(client, id);
      for (const format of ["csv", "json", "geojson", "quakeml"] as const) {
        const file = await exportFile(client, id, format);
        const uploaded = await uploadFile(client, file, `x.${EXPORT_FORMATS[format].extension}`);
        expect([uploaded.errorCount, uploaded.rowCount]).toEqual([0, events.length]);
        const again = await createFrom(client, uploaded);
        expect(await eventsOf(client, again), format).toEqual(given);
      }
    }),
    { numRuns: runs(12), endOnFailure: true },
  );
});

/** Two events of unknown magnitude between two of known ones; the time tells them apart. */
const EVENTS = [
  seismicEvent({ source_id: "four", time: "2020-01-01", magnitude: 4 }),
  seismicEvent({ source_id: "none", time: "2020-01-02", magnitude: null }),
  seismicEvent({ source_id: "neither", time: "2020-01-03", mag: null, magnitude: undefined }),
  seismicEvent({ source_id: "minus", time: "2020-01-04", magnitude: -3 }),
];

const client = service.client("editor");
let id: string;
beforeAll(async () => {
  ({ id } = await createCatalogue(client, { events: EVENTS }));
});

type Filtered = { readonly events: readonly SeismicEvent[]; readonly nextCursor?: string };
const sourceIds = (events: readonly SeismicEvent[]) => events.map((event) => event.source_id);

test("events of unknown magnitude are counted, bound nothing, satisfy no bound and come after all others by size", async () => {
  const { body: catalogue } = await client.get(`/api/catalogues/${id}`);
  expect(catalogue).toMatchObject({ event_count: 4, min_magnitude: -3, max_magnitude: 4 });
  for (const [query, expected] of [
    ["minMagnitude=-3", ["minus", "four"]],
    ["maxMagnitude=10", ["minus", "four"]],
    ["orderBy=magnitude", ["four", "minus", "neither", "none"]],
    ["orderBy=magnitude-asc", ["none", "neither", "minus", "four"]],
  ] as const) {
    const path = `/api/catalogues/${id}/events/filtered?${query}`;
    const whole = (await client.get<Filtered>(path)).body.events;
    expect(sourceIds(whole), query).toEqual(expected);
    const walked: SeismicEvent[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await client.get<Filtered>(`${path}&limit=1${cursor}`);
      walked.push(...body.events);
      if (body.nextCursor === undefined) break;
      cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`;
    }
    expect(walked, query).toEqual(whole);
  }
});

test("events of unknown magnitude are exported, and survive export, upload and creation", async () => {
  const known = async (of: string) =>
    (await eventsOf(client, of)).map(({ time, magnitude }) => [time, magnitude]);
  const given = await known(id);
  for (const format of Object.keys(EXPORT_FORMATS) as ExportFormat[]) {
    const file = await exportFile(client, id, format);
    expect(new TextDecoder().decode(file), format).not.toMatch(/NaN|undefined/);
    if (!["csv", "json", "geojson", "quakeml", "text"].includes(format)) continue;
    const uploaded = await uploadFile(client, file, `x.${EXPORT_FORMATS[format].extension}`);
    expect(await known(await createFrom(client, uploaded)), format).toEqual(given);
  }
});
