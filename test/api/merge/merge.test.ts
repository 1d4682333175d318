import { beforeAll, describe, expect, test } from "vitest";
import type { MergeResult } from "#contracts/http/merge.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";

const service = useService();
let client: ApiClient;
beforeAll(async () => {
  client = await service.loginAs("editor");
});

const CONFIG = { timeThreshold: 16, distanceThreshold: 50, mergeStrategy: "quality", priority: "" };

describe("merging two catalogues", () => {
  test("makes a catalogue that has each earthquake once", async () => {
    const one = await createCatalogue(client, {
      events: [
        seismicEvent({ source_id: "a", used_station_count: 20 }),
        seismicEvent({ source_id: "b", time: "2017-01-01T00:00:00Z" }),
      ],
    });
    const other = await createCatalogue(client, {
      events: [
        seismicEvent({ source_id: "c", time: "2016-11-13T11:02:57Z" }),
        seismicEvent({ source_id: "b", time: "2018-01-01T00:00:00Z" }),
      ],
    });
    const { status, body } = await client.send<MergeResult>("POST", "/api/merge", {
      name: " merged ",
      sourceCatalogues: [
        { id: one.id, name: "?", events: 7, source: "GeoNet" },
        { id: other.id, name: "?", events: 7, source: "USGS" },
      ],
      config: CONFIG,
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        success: true,
        catalogueId: expect.any(String),
        eventCount: 3,
        originalEventCount: 4,
        duplicateGroups: 1,
        duplicatesRemoved: 1,
      },
    });
    const path = `/api/catalogues/${body.catalogueId}`;
    const catalogue = await client.get(path);
    expect(catalogue.body).toMatchObject({ name: "merged", status: "active", event_count: 3 });
    const preview = await client.send("POST", "/api/merge/preview", {
      sourceCatalogues: [
        { id: one.id, source: "GeoNet" },
        { id: other.id, source: "USGS" },
      ],
      config: CONFIG,
    });
    expect(preview.body).toMatchObject({ eventCount: 3, groups: [{ members: [{}, {}] }] });
  });
});
