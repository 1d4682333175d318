import { beforeAll, describe, expect, test } from "vitest";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { endOf } from "../../support/api/operations.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { aftershockSequences } from "../../support/statistics/synthetic.ts";

const service = sharedService();
const editor = clientOf(service, "editor");
/** The synthetic catalogue of the reference, of 7,878 events. */
let synthetic: string;
/** A smaller one of its kind, of 746. */
let smaller: string;

beforeAll(async () => {
  const made = async (mainEvents?: number) => {
    const events = aftershockSequences(mainEvents).map(({ time, ...event }) => ({
      ...event,
      time: new Date(time).toISOString(),
    }));
    return (await createCatalogue(editor, { events })).id;
  };
  [synthetic, smaller] = [await made(), await made(100)];
});

type Declustered = {
  readonly result: string;
  readonly estimate: object | null;
  readonly parameters: object;
  readonly warnings: readonly { code: string }[];
};
type Label = { readonly id: string; readonly cluster: number | null; readonly role: string };
type Labels = { readonly events: readonly Label[]; readonly nextCursor: string | null };

const at = (id: string, rest = "") => `/api/catalogues/${id}/analytics/decluster${rest}`;
const ask = (id: string, body: object, query = "") =>
  editor.send<Declustered>("POST", at(id, query), body);

/** Pages of all labels. */
async function labelsOf(id: string, result: string, query = ""): Promise<Label[]> {
  const labels: Label[] = [];
  let cursor = "";
  for (;;) {
    const path = at(id, `/${result}/events?limit=3000${query}${cursor}`);
    const { body } = await editor.get<Labels>(path);
    labels.push(...body.events);
    if (body.nextCursor === null) return labels;
    cursor = `&cursor=${body.nextCursor}`;
  }
}

describe("declustering", () => {
  test("finds by each method what the reference programs find", async () => {
    for (const [body, estimate, parameters] of [
      [
        { method: "gardner-knopoff" },
        { main: 1591, clusters: 215, foreshocks: 565, aftershocks: 5722, largest: 840 },
        { window: "gk-fit", linked: false, foreshockFraction: 1 },
      ],
      [
        { method: "gardner-knopoff", linked: true },
        { main: 1716, foreshocks: 41, aftershocks: 6103, both: 18 },
        { window: "gk-table", linked: true },
      ],
      [
        { method: "reasenberg" },
        { clusters: 181, clustered: 3864, independent: 4195, largest: 421 },
        { xmeff: 3, tau0: 1 },
      ],
      [
        { method: "nearest-neighbour" },
        { background: 1815, families: 110, ashmanD: expect.closeTo(2.93, 3) },
        { df: 1.6, b: 1, threshold: expect.closeTo(-4.03258, 5) },
      ],
    ] as const) {
      const { status, body: found } = await ask(synthetic, body);
      expect(status).toBe(200);
      expect(found).toMatchObject({
        catalogue: synthetic,
        version: 1,
        method: body.method,
        input: { events: 7878, withoutMagnitude: 0 },
        estimate,
        parameters,
        warnings: [],
      });
    }
  });

  test("takes filters and a version, in the query and in the body", async () => {
    const { body } = await ask(
      smaller,
      { method: "gardner-knopoff", minMagnitude: 4 },
      "?maxDepth=20&asOf=1",
    );
    expect(body).toMatchObject({ filters: { minMagnitude: 4, maxDepth: 20 }, version: 1 });
    const labels = await labelsOf(smaller, body.result);
    expect(labels.length).toBeLessThan(200);
    const numbered = await ask(smaller, { method: "gardner-knopoff", minMagnitude: 5, asOf: 1 });
    expect(numbered).toMatchObject({ status: 200, body: { version: 1 } });
    const listed = await ask(
      smaller,
      { method: "reasenberg", evaluationMode: "Manual", startTime: "2015-01-01" },
      "?eventType=earthquake,quarry%20blast&endTime=2016-01-01",
    );
    expect(listed).toMatchObject({ status: 200, body: { estimate: null } });
    const turned = await ask(smaller, { method: "reasenberg", minDepth: 9 }, "?maxDepth=1");
    expectRefusal(turned, "VALIDATION_ERROR", "minDepth");
  });

  test("refuses what it does not know, and what has no meaning", async () => {
    const wrong = [
      { method: "gardner-knopoff", tau0: 1 },
      { method: "gardner-knopoff", linked: true, foreshockFraction: 0 },
      { method: "reasenberg", p: 1 },
      { method: "reasenberg", tauMin: 20, tauMax: 1 },
      { method: "reasenberg", tauMin: 20 },
      { method: "unknown" },
      { method: "reasenberg", minmagnitude: 3 },
      {},
    ];
    for (const body of wrong) expectRefusal(await ask(smaller, body), "VALIDATION_ERROR");
    expectRefusal(await ask(smaller, wrong[0] ?? {}, "?unknown=1"), "VALIDATION_ERROR");
  });

  test("says why there is no estimate of no events", async () => {
    const { id } = await createCatalogue(editor, { events: [seismicEvent({ magnitude: null })] });
    for (const method of ["gardner-knopoff", "reasenberg", "nearest-neighbour"]) {
      const { status, body } = await ask(id, { method });
      expect([status, body]).toMatchObject([200, { estimate: null, n: 0, required: 1 }]);
      expect(await labelsOf(id, body.result)).toEqual([]);
    }
  });

  test("warns where the proximities are not of two parts, and of one event finds one", async () => {
    const { id } = await createCatalogue(editor);
    const { body } = await ask(id, { method: "nearest-neighbour" });
    expect(body).toMatchObject({
      estimate: { background: 1, families: 0, largest: 1, threshold: -5, logEtaMean: null },
      warnings: [{ code: "NOT_BIMODAL" }],
    });
  });

  test("can run in the background, with its answer as the operation's result", async () => {
    const accepted = await editor.send<{ operationId: string }>(
      "POST",
      at(smaller),
      { method: "reasenberg" },
      { prefer: "respond-async" },
    );
    expect(accepted.status).toBe(202);
    const ended = await endOf(editor, accepted.body.operationId);
    expect(ended).toMatchObject({
      kind: "decluster",
      status: "succeeded",
      result: { estimate: { clusters: expect.any(Number) } },
    });
  });
});

describe("labels", () => {
  test("are paged in order of time, all or of one role, and belong to their catalogue", async () => {
    const { body } = await ask(synthetic, { method: "gardner-knopoff" });
    const labels = await labelsOf(synthetic, body.result);
    expect(labels).toHaveLength(7878);
    expect(new Set(labels.map(({ id }) => id)).size).toBe(7878);
    const fore = await labelsOf(synthetic, body.result, "&role=fore");
    expect(fore).toEqual(labels.filter(({ role }) => role === "fore"));
    expect(fore).toHaveLength(565);
    for (const { cluster, role } of labels) expect(cluster !== null || role === "main").toBe(true);

    const { id: other } = await createCatalogue(editor);
    expectRefusal(await editor.get(at(other, `/${body.result}/events`)), "NOT_FOUND");
    expectRefusal(await editor.get(at(synthetic, "/nothing/events")), "NOT_FOUND");
    const page = await editor.get<Labels>(at(synthetic, `/${body.result}/events?limit=1`));
    const mixed = at(synthetic, `/${body.result}/events?role=main&cursor=${page.body.nextCursor}`);
    expectRefusal(await editor.get(mixed), "INVALID_CURSOR");
    const guest = createApiClient(service.url);
    expectRefusal(await guest.get(at(synthetic, `/${body.result}/events`)), "UNAUTHENTICATED");
  });

  test("become a catalogue of one role, whose record tells what it was made of", async () => {
    const { body } = await ask(smaller, { method: "gardner-knopoff", minMagnitude: 3.5 });
    const labels = await labelsOf(smaller, body.result);
    const mains = labels.filter(({ role }) => role === "main");
    const made = await editor.send<{ catalogueId: string }>(
      "POST",
      at(smaller, `/${body.result}/catalogue`),
      { name: "Main events — 主震", role: "main" },
    );
    expect(made.status).toBe(201);
    const path = `/api/catalogues/${made.body.catalogueId}`;
    const catalogue = await editor.get(path);
    expect(catalogue.body).toMatchObject({
      name: "Main events — 主震",
      is_public: false,
      event_count: mains.length,
    });
    const { body: page } = await editor.get<{ events: SeismicEvent[] }>(
      `${path}/events/filtered?orderBy=time-asc`,
    );
    expect(page.events.map(({ extra }) => extra?.["cluster_id"] ?? null)).toEqual(
      mains.map(({ cluster }) => cluster),
    );
    expect(page.events.every(({ extra }) => extra?.["is_mainshock"] === true)).toBe(true);
    const { body: record } = await editor.get(`${path}/versions/1`);
    expect(record).toMatchObject({
      version: {
        cause: "created",
        sources: [{ catalogue_id: smaller, version: 1 }],
        derivation: {
          method: "gardner-knopoff",
          parameters: { window: "gk-fit", linked: false, foreshockFraction: 1 },
          filters: { minMagnitude: "3.5" },
          role: "main",
        },
      },
    });
    expectRefusal(
      await editor.send("POST", at(smaller, `/${body.result}/catalogue`), { role: "main" }),
      "MISSING_NAME",
    );
  });

  test("are gone with their catalogue", async () => {
    const { id } = await createCatalogue(editor);
    const { body } = await ask(id, { method: "gardner-knopoff" });
    await editor.send("DELETE", `/api/catalogues/${id}`);
    expectRefusal(await editor.get(at(id, `/${body.result}/events`)), "NOT_FOUND");
  });
});

describe("the distances of nearest neighbours", () => {
  type Neighbours = {
    readonly estimate: Record<string, number> | null;
    readonly reason?: string;
    readonly bins: readonly { from: number; to: number; count: number }[];
    readonly series: readonly { logT: number; logR: number; width: number; count: number }[];
  };
  const ofNeighbours = (id: string, query = "") =>
    editor.get<Neighbours>(`/api/catalogues/${id}/analytics/nearest-neighbour${query}`);
  const total = (counts: readonly { count: number }[]) =>
    counts.reduce((sum, { count }) => sum + count, 0);

  test("are told with their distribution, and the background and families that declustering finds", async () => {
    const { status, body } = await ofNeighbours(smaller);
    expect(status).toBe(200);
    const found = await ask(smaller, { method: "nearest-neighbour" });
    const { background, families, threshold } = found.body.estimate as Record<string, number>;
    expect(body.estimate).toMatchObject({ n: 745, background, families, threshold });
    expect([total(body.bins), total(body.series)]).toEqual([745, 745]);
    for (const [i, { from }] of body.bins.entries()) {
      if (i > 0) expect(body.bins[i - 1]?.to).toBe(from);
    }
    const given = await ofNeighbours(smaller, "?threshold=-5");
    expect(given.body.estimate?.["background"]).toBeGreaterThan(background ?? 0);
    expect(given.body.estimate).toMatchObject({ threshold: -5, n: 745 });
    expectRefusal(await ofNeighbours(smaller, "?df=9"), "VALIDATION_ERROR");
  });

  test("of one event are none, which is said", async () => {
    const { id } = await createCatalogue(editor);
    const { body } = await ofNeighbours(id);
    expect(body).toMatchObject({ estimate: null, n: 1, required: 2, bins: [], series: [] });
    expect(body.reason).toBe("fewer than two events have a magnitude");
  });
});
