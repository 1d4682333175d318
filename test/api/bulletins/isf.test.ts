import { beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
let editor: ApiClient;
let base = "";

beforeAll(async () => {
  editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor, {
    events: [seismicEvent({ magnitude_type: "Mw" }), { bulletin: smallBulletin() }],
    is_public: true,
  });
  base = `/api/catalogues/${id}`;
});

const textOf = async (path: string) => {
  const answer = await editor.stream(path);
  expect(answer.status).toBe(200);
  return answer.text();
};

describe("ISF", () => {
  test("an export has every event whole, one without a bulletin as its row says", async () => {
    const text = await textOf(`${base}/export?format=isf`);
    expect(text).toMatch(/^BEGIN IMS2\.0\r?\nDATA_TYPE BULLETIN IMS1\.0:short/);
    expect(text.match(/^Event /gm)).toHaveLength(2);
    expect(text.match(/^2024\/05\/06 07:08:0/gm)).toHaveLength(2);
    expect(text.match(/^WEL {2}/gm)?.length ?? 0).toBeGreaterThanOrEqual(2);
  });

  test("the event service answers the events that a query selects, and 204 for none", async () => {
    const path = `${base}/fdsnws/event/1/query?format=isf`;
    const guest = createApiClient(service.url);
    const { headers, body } = await guest.get<string>(`${path}&maxmagnitude=5`);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(body.match(/^Event /gm)).toHaveLength(1);
    expect((await guest.get(`${path}&minmagnitude=9`)).status).toBe(204);
  });

  test("has no tables, and Accept of plain text means the text of FDSN", async () => {
    const refused = await editor.get(`${base}/export?format=isf&table=picks`);
    expectRefusal(refused, "VALIDATION_ERROR", "table");
    const answer = await editor.stream(`${base}/export`, { accept: "text/plain" });
    expect(await answer.text()).toMatch(/^#EventID/);
  });
});
