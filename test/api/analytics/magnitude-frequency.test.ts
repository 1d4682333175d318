import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { histogramOf } from "#contracts/magnitude-histogram.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = clientOf(service, "editor");

type Frequency = {
  readonly version: number;
  readonly filters: object;
  readonly parameters: object;
  readonly input: {
    readonly events: number;
    readonly withoutMagnitude: number;
    readonly magnitudeTypes: readonly object[];
    readonly start: string | null;
    readonly end: string | null;
    readonly years: number | null;
  };
  readonly estimate: object | null;
  readonly reason?: string;
  readonly bins: readonly { magnitude: number; count: number; cumulative: number }[];
  readonly series?: readonly object[];
};

const EVENTS = [
  seismicEvent({ magnitude: 2, magnitude_type: "ML", time: "2020-01-01T00:00:00Z" }),
  seismicEvent({ magnitude: 2.04, magnitude_type: "ml", time: "2021-06-01T00:00:00.5Z" }),
  seismicEvent({ magnitude: 2.05, magnitude_type: "ML", time: "2022-01-01T00:00:00Z" }),
  seismicEvent({ magnitude: 2.3, magnitude_type: "Mw", time: "2019-01-01T00:00:00Z" }),
  seismicEvent({ magnitude: null, time: "2023-01-01T00:00:00Z" }),
];

const atFrequency = (id: string, query = "") =>
  `/api/catalogues/${id}/analytics/magnitude-frequency${query}`;

describe("the magnitude–frequency distribution", () => {
  test("has every bin from the lowest to the highest, and says what it was made of", async () => {
    const { id } = await createCatalogue(editor, { events: EVENTS });
    const { body, headers } = await editor.get<Frequency>(atFrequency(id));
    expect(body).toEqual({
      catalogue: id,
      version: 1,
      filters: {},
      method: "magnitude-frequency",
      parameters: { binWidth: 0.1 },
      reference: "Gutenberg & Richter 1944",
      input: {
        events: 5,
        withoutMagnitude: 1,
        magnitudeTypes: [
          { type: "ML", n: 3 },
          { type: "Mw", n: 1 },
        ],
        start: "2019-01-01T00:00:00.000000Z",
        end: "2023-01-01T00:00:00.000000Z",
        years: 1461 / 365.25,
      },
      estimate: { n: 4, minMagnitude: 2, maxMagnitude: 2.3 },
      bins: [
        { magnitude: 2, count: 2, cumulative: 4 },
        { magnitude: 2.1, count: 1, cumulative: 2 },
        { magnitude: 2.2, count: 0, cumulative: 1 },
        { magnitude: 2.3, count: 1, cumulative: 1 },
      ],
      warnings: [],
    });
    const tag = headers.get("etag") ?? "";
    const again = await editor.get(atFrequency(id), { "if-none-match": tag });
    expect(again.status).toBe(304);
    const other = await editor.get(atFrequency(id, "?binWidth=0.5"), { "if-none-match": tag });
    expect(other.status).toBe(200);
  });

  test("takes filters, a version, a width and each magnitude type by itself", async () => {
    const { id } = await createCatalogue(editor, { events: EVENTS });
    await editor.send("POST", `/api/catalogues/${id}/events`, {
      events: [seismicEvent({ magnitude: 5, time: "2021-01-01T00:00:00Z" })],
    });
    const query = "?asOf=1&binWidth=0.5&by=type&startTime=2019-06-01&endTime=2022-06-01";
    const { body } = await editor.get<Frequency>(atFrequency(id, query));
    const bins = [{ magnitude: 2, count: 3, cumulative: 3 }];
    expect(body).toMatchObject({
      version: 1,
      filters: { startTime: "2019-06-01T00:00:00Z", endTime: "2022-06-01T00:00:00Z" },
      parameters: { binWidth: 0.5, by: "type" },
      // The window that was asked for, not that of its events.
      input: { events: 3, years: 1096 / 365.25 },
      bins,
      series: [{ type: "ML", n: 3, bins }],
    });
    const latest = await editor.get<Frequency>(atFrequency(id, "?minMagnitude=4"));
    expect(latest.body).toMatchObject({ version: 2, estimate: { n: 1, minMagnitude: 5 } });
  });

  test("has no estimate, and says why, where no event has a magnitude", async () => {
    for (const events of [[], [seismicEvent({ magnitude: null })]]) {
      const { id } = await createCatalogue(editor, { events });
      const { status, body } = await editor.get<Frequency>(atFrequency(id));
      expect(status).toBe(200);
      expect(body).toMatchObject({ estimate: null, n: 0, required: 1, bins: [] });
      expect(body.reason).toBe("no event has a magnitude");
    }
  });

  test("has in PostgreSQL the bins of the histogram, whatever the magnitudes", async () => {
    const magnitude = fc.oneof(
      fc.double({ min: -3, max: 10, noNaN: true }),
      fc.integer({ min: -300, max: 1000 }).map((hundredths) => hundredths / 100),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(magnitude, { minLength: 1, maxLength: 30 }),
        fc.constantFrom(0.1, 0.05, 0.25),
        async (magnitudes, binWidth) => {
          const events = magnitudes.map((m) => seismicEvent({ magnitude: m }));
          const { id } = await createCatalogue(editor, { events });
          const { body } = await editor.get<Frequency>(atFrequency(id, `?binWidth=${binWidth}`));
          const { counts } = histogramOf(magnitudes, binWidth);
          expect(body.bins.map(({ count }) => count)).toEqual(counts);
        },
      ),
      { numRuns: runs(15) },
    );
  });
});

test("an analysis refuses parameters that it does not know, and guests where they may not read", async () => {
  const { id } = await createCatalogue(editor, { events: EVENTS });
  const guest = createApiClient(service.url);
  expectRefusal(await editor.get(atFrequency(id, "?binwidth=0.2")), "VALIDATION_ERROR");
  expectRefusal(await editor.get(atFrequency(id, "?binWidth=0")), "VALIDATION_ERROR");
  expectRefusal(await editor.get(atFrequency(id, "?asOf=9")), "NOT_FOUND");
  expectRefusal(await guest.get(atFrequency(id)), "UNAUTHENTICATED");
  await editor.send("PATCH", `/api/catalogues/${id}`, { is_public: true });
  const { headers, status } = await guest.get(atFrequency(id));
  expect([status, headers.get("cache-control")]).toEqual([200, "public, no-cache"]);
  await editor.send("DELETE", `/api/catalogues/${id}`);
  expectRefusal(await editor.get(atFrequency(id)), "NOT_FOUND");
});

test("the summary tells numbers, ranges and types", async () => {
  const { id } = await createCatalogue(editor, {
    events: [
      ...EVENTS,
      seismicEvent({ depth: null, latitude: 10, longitude: -170, event_type: "quarry blast" }),
    ],
  });
  const { body } = await editor.get(`/api/catalogues/${id}/analytics/summary`);
  expect(body).toMatchObject({
    method: "summary",
    estimate: {
      events: 6,
      magnitude: { min: 2, max: 7.8, missing: 1 },
      depth: { min: 15.1, max: 15.1, missing: 1 },
      latitude: { min: -42.69, max: 10 },
      longitude: { min: -170, max: 173.02 },
      eventTypes: [
        { type: null, n: 5 },
        { type: "quarry blast", n: 1 },
      ],
    },
  });
});
