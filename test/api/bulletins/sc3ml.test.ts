import { beforeAll, describe, expect, test } from "vitest";
import { countElements } from "#contracts/bulletin/element-counts.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { readScml } from "../../support/formats/read-scml.ts";
import { hasSchema, schemaFaults } from "../../support/formats/sc3ml-schema.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";

const service = sharedService();
let guest: ApiClient;
let base = "";

beforeAll(async () => {
  guest = createApiClient(service.url);
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor, {
    events: [seismicEvent({ magnitude_type: "Mw" }), { bulletin: smallBulletin() }],
    is_public: true,
  });
  base = `/api/catalogues/${id}/fdsnws/event/1/query?format=sc3ml`;
});

describe("SC3ML of the event service", () => {
  test("has every event whole under the service's id, one without a bulletin as its row says", async () => {
    const { headers, body } = await guest.get<string>(base);
    expect(headers.get("content-type")).toBe("application/xml");
    const { bulletins, errors } = readScml(body);
    expect(errors).toEqual([]);
    const counts = bulletins.map((bulletin) => countElements(bulletin));
    expect(counts).toContainEqual(countElements(smallBulletin()));
    expect(counts.map(({ origin }) => origin).toSorted()).toEqual([1, 2]);
    for (const { publicID } of bulletins) expect(publicID).toMatch(/^smi:local\.catalogue\//);
    expect(body).toContain("2 arrival.publicID");
  });

  test.skipIf(!hasSchema)("is valid by the schema (skipped without it)", async () => {
    const { body } = await guest.get<string>(base);
    expect(schemaFaults(body)).toBe("");
  });

  test("is 204 for no events", async () => {
    expect((await guest.get(`${base}&minmagnitude=9`)).status).toBe(204);
  });
});
