import { beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { sharedService } from "../../support/service.ts";
import { exportFile, uploadFile } from "../formats/file-round.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";

const service = sharedService();
let client: ApiClient;
beforeAll(async () => {
  client = await service.loginAs("editor");
});

describe("an export as ISF", () => {
  test("has the bulletins of its events, those of rows where there is none, and is read again", async () => {
    const { id } = await createCatalogue(client, {
      events: [
        { bulletin: smallBulletin() },
        seismicEvent({ source_id: "2016p858000", magnitude_type: "Mw", region: "Kaikoura" }),
      ],
    });
    const file = await exportFile(client, id, "isf");
    const upload = await uploadFile(client, file, "x.csv");
    expect(upload).toMatchObject({ format: "isf", rowCount: 2, errors: [] });
    expect(upload.data).toMatchObject([
      { source_id: "0", latitude: -41.5, depth: 12.3, magnitude: 4.5, event_type: "earthquake" },
      { source_id: "2016p858000", magnitude: 7.8, magnitude_type: "Mw", region: "Kaikoura" },
    ]);
    expect(new TextDecoder().decode(file)).toMatch(/\nSTOP\n \(not written: /);
  });

  test("of a catalogue without events is a bulletin without events", async () => {
    const { id } = await createCatalogue(client, { events: [] });
    const upload = await uploadFile(client, await exportFile(client, id, "isf"), "x.txt");
    expect(upload).toMatchObject({ format: "isf", rowCount: 0, errors: [] });
  });
});
