import { beforeAll, describe, expect, test } from "vitest";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { newRegion, redraw, SQUARE, squareOf } from "../../support/api/regions.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");
const guest = service.client("guest");
let catalogue: string;
let path: string;
beforeAll(async () => {
  const events = [1, 2, 3, 14].map((longitude, i) =>
    seismicEvent({ longitude, latitude: 5, time: `2020-01-0${i + 1}T00:00:00Z` }),
  );
  ({ id: catalogue } = await createCatalogue(editor, { is_public: true, events }));
  path = `/api/catalogues/${catalogue}`;
});

const LARGER = squareOf(0, 0, 20, 10);

type Page = { readonly events: readonly SeismicEvent[]; readonly nextCursor?: string };
type Diff = { readonly changes: readonly unknown[]; readonly nextCursor: string | null };
type Analysis = { readonly input: { readonly events: number } };

describe("once a region is changed", () => {
  test("an answer of a version has another tag, under which the one before is not found", async () => {
    const region = await newRegion(editor, SQUARE);
    const tags = new Map<string, { readonly tag: string; readonly body: unknown }>();
    const addresses = [
      "/events/filtered?",
      "/export?format=csv&asOf=1&",
      "/analytics/summary?asOf=1&",
      "/analytics/rates.svg?asOf=1&",
      "/events/columns?asOf=1&",
      "/versions/1/diff?",
      "/versions/1/fdsnws/event/1/query?format=text&",
      "/versions/1/fdsnws/event/1/count?",
    ].map((address) => `${path}${address}region=${region}`);
    const expectKnown = async (isKnown: boolean) => {
      for (const at of addresses) {
        const { tag = "", body } = tags.get(at) ?? {};
        const answer = await editor.get(at, { "if-none-match": tag });
        expect([at, answer.status]).toEqual([at, isKnown ? 304 : 200]);
        expect(answer.headers.get("etag") === tag, at).toBe(isKnown);
        if (!isKnown) expect(answer.body).not.toEqual(body);
      }
    };
    for (const at of addresses) {
      const { status, headers, body } = await editor.get(at);
      expect(status, JSON.stringify(body)).toBe(200);
      expect(headers.get("cache-control")).toMatch(/^(?:public|private), no-cache$/);
      tags.set(at, { tag: headers.get("etag") ?? "", body });
    }
    await expectKnown(true);
    await redraw(editor, region, LARGER);
    await expectKnown(false);
    await redraw(editor, region, SQUARE);
    await expectKnown(true);
  });

  test("a cursor by it is none any more", async () => {
    const region = await newRegion(editor, SQUARE);
    const page = (query: string) => guest.get<Page>(`${path}/events/filtered?${query}`);
    const diff = (query: string) => guest.get<Diff>(`${path}/versions/1/diff?${query}`);
    const first = (await page(`region=${region}&limit=1`)).body;
    const changes = (await diff(`region=${region}&limit=1`)).body;
    expect((await page(`cursor=${first.nextCursor}`)).body.events).toHaveLength(1);
    expect((await page(`cursor=${first.nextCursor}&region=${region}`)).status).toBe(200);
    expect((await diff(`cursor=${changes.nextCursor}`)).body.changes).toHaveLength(1);
    const other = await newRegion(editor, SQUARE);
    expectRefusal(await page(`cursor=${first.nextCursor}&region=${other}`), "INVALID_CURSOR");

    await redraw(editor, region, LARGER);
    expectRefusal(await page(`cursor=${first.nextCursor}`), "INVALID_CURSOR");
    expectRefusal(await diff(`cursor=${changes.nextCursor}`), "INVALID_CURSOR");
    await editor.send("DELETE", `/api/regions/${region}`);
    expectRefusal(await page(`cursor=${first.nextCursor}`), "VALIDATION_ERROR", "region");
  });

  test("analyses are made again, and another name makes none", async () => {
    const region = await newRegion(editor, SQUARE);
    const address = `${path}/analytics/summary?region=${region}`;
    const first = await guest.get<Analysis>(address);
    expect(first.body.input.events).toBe(3);
    await editor.send("PATCH", `/api/regions/${region}`, { name: "Renamed" });
    expect((await guest.get(address)).headers.get("etag")).toBe(first.headers.get("etag"));
    await redraw(editor, region, LARGER);
    expect((await guest.get<Analysis>(address)).body.input.events).toBe(4);
  });
});

test("a version that is cited by a region is not kept either", async () => {
  const region = await newRegion(editor, SQUARE);
  const citation = `${path}/versions/1/citation`;
  const usual = await guest.get(citation);
  expect(usual.headers.get("cache-control")).toBe("public, max-age=3600");
  const { headers } = await guest.get(`${citation}?region=${region}`);
  expect(headers.get("cache-control")).toBe("public, no-cache");
});

test("a tag of an answer by a region guards writes, as any tag of the version does", async () => {
  const { id } = await createCatalogue(editor);
  const region = await newRegion(editor, SQUARE);
  const list = await editor.get(`/api/catalogues/${id}/events/filtered?region=${region}`);
  const tag = list.headers.get("etag") ?? "";
  const events = `/api/catalogues/${id}/events`;
  const add = () => editor.send("POST", events, { events: [seismicEvent()] }, { "if-match": tag });
  expect((await add()).status).toBe(200);
  expect((await add()).status).toBe(412);
});
