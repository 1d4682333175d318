import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import type { MergePreview } from "#contracts/http/merges/merge.ts";
import type { ReviewPair } from "#contracts/http/merges/review.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { type Person, person } from "../rights/rights-scene.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { decisionsPath, merge, mergeForm, sourceOf } from "./merge-scene.ts";

const service = sharedService();
let first: Person;
let second: Person;
let client: ApiClient;
beforeAll(async () => {
  first = await person(service, "editor");
  second = await person(service, "editor");
  ({ client } = first);
});

const DAYS = ["01", "02", "03"];

/** A merge of two sources, whose events of each day are too far apart to be merged, but not by much. */
async function scene() {
  const at = (second: string) =>
    DAYS.map((day) => seismicEvent({ time: `2020-01-${day}T00:00:${second}Z` }));
  const sources = [
    await sourceOf(client, "early", at("00")),
    await sourceOf(client, "late", at("20")),
  ];
  const { catalogueId: id } = await merge(client, sources);
  return { id, sources };
}

type List = { pairs: ReviewPair[]; nextCursor?: string };

async function pairs(id: string, query = "", by = client): Promise<ReviewPair[]> {
  return (await by.get<List>(`/api/catalogues/${id}/merge/review${query}`)).body.pairs;
}

const put = (id: string, pair: ReviewPair | undefined, change: object, by = client) =>
  by.send<{ pair: ReviewPair }>("PUT", `/api/catalogues/${id}/merge/review/${pair?.id}`, change);

const days = (list: readonly ReviewPair[]) => list.map((pair) => pair.first.time.slice(8, 10));

describe("GET /api/catalogues/:id/merge/review", () => {
  test("has the ambiguous pairs of the merge, as its preview has them, with nothing said of them", async () => {
    const { id, sources } = await scene();
    const preview = await client.send<MergePreview>(
      "POST",
      "/api/merge/preview",
      mergeForm(sources),
    );
    const nothing = { id: expect.any(String), claim: null, later: false, note: null };
    expect(await pairs(id)).toEqual(
      preview.body.ambiguous.map((pair) => ({ ...pair, ...nothing })),
    );
    expect(days(await pairs(id))).toEqual(DAYS);
  });

  test("is read page by page", async () => {
    const { id } = await scene();
    const path = `/api/catalogues/${id}/merge/review`;
    const page = await client.get<List>(`${path}?limit=2`);
    const rest = await client.get<List>(`${path}?limit=2&cursor=${page.body.nextCursor}`);
    expect([days(page.body.pairs), days(rest.body.pairs)]).toEqual([["01", "02"], ["03"]]);
    expect(rest.body).not.toHaveProperty("nextCursor");
    const other = await client.get(`${path}?state=open&cursor=${page.body.nextCursor}`);
    expect(other.status).toBe(400);
    expect((await client.get(`${path}?state=done`)).status).toBe(400);
  });

  test("is without the pairs that are decided, until that is withdrawn", async () => {
    const { id } = await scene();
    const [, pair] = await pairs(id);
    const { body } = await client.send<{ decision: { id: string } }>("POST", decisionsPath(id), {
      type: "different",
      events: [pair?.first, pair?.second].map((one) => ({
        catalogue_id: one?.catalogue_id,
        event_id: one?.event_id,
      })),
    });
    expect(days(await pairs(id))).toEqual(["01", "03"]);
    expect((await put(id, pair, { claim: true })).status).toBe(404);
    await client.send("DELETE", `${decisionsPath(id)}/${body.decision.id}`);
    expect(days(await pairs(id))).toEqual(DAYS);
  });

  test("is of the sources as they were merged, until the merge is refreshed", async () => {
    const { id, sources } = await scene();
    const before = await pairs(id);
    const [{ first: moved } = { first: undefined }] = before;
    const path = `/api/catalogues/${sources[0]?.id}/events/${moved?.event_id}`;
    await client.send("PATCH", path, { time: "2020-01-01T00:00:19Z" });
    expect(await pairs(id)).toEqual(before);
  });

  test("is 404 of a catalogue that is no merge, and for editors", async () => {
    const { id } = await createCatalogue(client);
    const answer = await client.get(`/api/catalogues/${id}/merge/review`);
    expect(answer.status).toBe(404);
    const viewer = await service.loginAs("viewer");
    const of = (await scene()).id;
    expect((await viewer.get(`/api/catalogues/${of}/merge/review`)).status).toBe(403);
  });

  test("has nothing of a source that the caller may not read", async () => {
    const { id, sources } = await scene();
    await client.send("PATCH", `/api/catalogues/${sources[0]?.id}`, { access: "restricted" });
    const all = await pairs(id);
    expect(all).toHaveLength(3);
    expect(await pairs(id, "", second.client)).toEqual([]);
    expect((await put(id, all[0], { claim: true }, second.client)).status).toBe(404);
  });
});

describe("PUT /api/catalogues/:id/merge/review/:pair", () => {
  test("claims a pair, which nobody else changes then", async () => {
    const { id } = await scene();
    const [pair] = await pairs(id);
    const { status, body } = await put(id, pair, { claim: true, note: "Looks like one" });
    expect(status).toBe(200);
    const claim = { user: first.id, at: expect.any(String) };
    expect(body.pair).toEqual({ ...pair, claim, note: "Looks like one" });
    for (const change of [{ claim: true }, { later: true }, { note: "Not at all" }]) {
      expect((await put(id, pair, change, second.client)).status).toBe(409);
    }
    expect(days(await pairs(id, "?state=claimed"))).toEqual(["01"]);
    expect(days(await pairs(id, "?state=open", second.client))).toEqual(["02", "03"]);
    expect((await put(id, pair, { claim: false })).body.pair.claim).toBeNull();
    expect((await put(id, pair, { claim: true }, second.client)).status).toBe(200);
  });

  test("of two who claim a pair at once, one has it", async () => {
    const { id } = await scene();
    const [pair] = await pairs(id);
    const answers = await Promise.all(
      [first, second].map((one) => put(id, pair, { claim: true }, one.client)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  test("puts a pair aside, which is nobody's then, until somebody claims it", async () => {
    const { id } = await scene();
    const [pair] = await pairs(id);
    await put(id, pair, { claim: true, note: "Ask the network" });
    const aside = await put(id, pair, { later: true });
    expect(aside.body.pair).toMatchObject({ claim: null, later: true, note: "Ask the network" });
    expect(days(await pairs(id, "?state=later"))).toEqual(["01"]);
    const again = await put(id, pair, { claim: true, note: null }, second.client);
    expect(again.body.pair).toMatchObject({ later: false, note: null });
    expect(await pairs(id, "?state=later")).toEqual([]);
  });

  test("hands a pair over to somebody who may change the catalogue", async () => {
    const { id } = await scene();
    const [pair] = await pairs(id);
    await put(id, pair, { claim: true });
    const viewer = await person(service, "viewer");
    expect((await put(id, pair, { claim: viewer.id })).status).toBe(400);
    expect((await put(id, pair, { claim: "user_1_nobody" })).status).toBe(400);
    expect((await put(id, pair, { claim: second.id })).body.pair.claim?.user).toBe(second.id);
    expect((await put(id, pair, { note: "mine?" })).status).toBe(409);
    expect((await put(id, pair, { note: "mine" }, second.client)).status).toBe(200);
  });

  test("takes a pair whose claim was not heard of for 15 minutes", async () => {
    const { id } = await scene();
    const [pair] = await pairs(id);
    await put(id, pair, { claim: true });
    await waitAQuarter(id);
    expect((await pairs(id))[0]?.claim).toBeNull();
    const taken = await put(id, pair, { claim: true }, second.client);
    expect(taken.body.pair.claim?.user).toBe(second.id);
  });

  test.each([["none"], ["0b7f5e0e-6c3d-4b54-9a2b-1d6b2f1c8a01.x"]])(
    "is 404 for %j, which is no pair",
    async (text) => {
      const { id } = await scene();
      const path = `/api/catalogues/${id}/merge/review/${text}`;
      expect((await client.send("PUT", path, { claim: true })).status).toBe(404);
    },
  );
});

/** Claims of a merge's pairs as if a quarter of an hour had passed. */
async function waitAQuarter(id: string): Promise<void> {
  const database = new pg.Client(service.databaseUrl);
  await database.connect();
  try {
    await database.query(
      `update operations.merge_review set claimed_at = claimed_at - interval '15 minutes'
       where catalogue_id = $1`,
      [id],
    );
  } finally {
    await database.end();
  }
}
