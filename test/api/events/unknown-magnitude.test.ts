import { beforeAll, describe, expect, test } from "vitest";
import { EXPORT_FORMATS, type ExportFormat } from "#contracts/http/catalogue-export.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { createFrom, eventsOf, exportFile, uploadFile } from "../formats/file-round.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";

const service = sharedService();

/** Two events of unknown magnitude between two of known ones; the time tells them apart. */
const EVENTS = [
  seismicEvent({ source_id: "four", time: "2020-01-01", magnitude: 4 }),
  seismicEvent({ source_id: "none", time: "2020-01-02", magnitude: null }),
  seismicEvent({ source_id: "neither", time: "2020-01-03", mag: null, magnitude: undefined }),
  seismicEvent({ source_id: "minus", time: "2020-01-04", magnitude: -3 }),
];

let client: ApiClient;
let id: string;
beforeAll(async () => {
  client = await service.loginAs("editor");
  ({ id } = await createCatalogue(client, { events: EVENTS }));
});

type Filtered = { readonly events: readonly SeismicEvent[]; readonly nextCursor?: string };
const sourceIds = (events: readonly SeismicEvent[]) => events.map((event) => event.source_id);

describe("events of unknown magnitude", () => {
  test("events of unknown magnitude are counted, and bound nothing", async () => {
    const { body } = await client.get(`/api/catalogues/${id}`);
    expect(body).toMatchObject({ event_count: 4, min_magnitude: -3, max_magnitude: 4 });
  });

  test.each([
    ["minMagnitude=-3", ["minus", "four"]],
    ["maxMagnitude=10", ["minus", "four"]],
    ["orderBy=magnitude", ["four", "minus", "neither", "none"]],
    ["orderBy=magnitude-asc", ["none", "neither", "minus", "four"]],
  ])(
    "events of unknown magnitude satisfy no bound and come after all others by size: %s",
    async (query, expected) => {
      const path = `/api/catalogues/${id}/events/filtered?${query}`;
      const whole = (await client.get<Filtered>(path)).body;
      expect(sourceIds(whole.events)).toEqual(expected);
      const walked: SeismicEvent[] = [];
      for (let cursor = ""; ; ) {
        const { body } = await client.get<Filtered>(`${path}&limit=1${cursor}`);
        walked.push(...body.events);
        if (body.nextCursor === undefined) break;
        cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`;
      }
      expect(walked).toEqual(whole.events);
    },
  );

  test.each(Object.keys(EXPORT_FORMATS) as ExportFormat[])(
    "events of unknown magnitude are exported as %s",
    async (format) => {
      const { headers } = await client.head(`/api/catalogues/${id}/export?format=${format}`);
      expect(headers.get("x-export-event-count")).toBe("4");
      const file = new TextDecoder().decode(await exportFile(client, id, format));
      expect(file).not.toMatch(/NaN|undefined/);
    },
  );

  test.each(["csv", "json", "geojson", "quakeml", "text"] as const)(
    "events of unknown magnitude survive export as %s, upload and creation",
    async (format) => {
      const file = await exportFile(client, id, format);
      const uploaded = await uploadFile(client, file, `x.${EXPORT_FORMATS[format].extension}`);
      const again = await eventsOf(client, await createFrom(client, uploaded));
      const known = ({ time, magnitude }: Omit<SeismicEvent, "id">) => [time, magnitude];
      expect(again.map(known)).toEqual((await eventsOf(client, id)).map(known));
    },
  );
});
