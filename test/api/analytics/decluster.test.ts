import { beforeAll, describe, expect, test } from "vitest";
import type { ComparisonAnswer } from "#contracts/http/analytics/comparison.ts";
import type { Job } from "#contracts/http/jobs.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { withClient } from "../../support/database-template.ts";
import { sharedService } from "../../support/service.ts";
import { aftershockSequences } from "../../support/statistics/synthetic.ts";

const service = sharedService();
const editor = service.client("editor");
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

const THRESHOLDS = { timeThreshold: 10, distanceThreshold: 50 };

const compare = (client: ApiClient, body: object, headers?: Record<string, string>) =>
  client.send<ComparisonAnswer>("POST", "/api/compare", { ...THRESHOLDS, ...body }, headers);

/** Events a minute apart, as often as there are values. */
const events = (magnitudes: readonly number[], given: object = {}) =>
  magnitudes.map((magnitude, i) =>
    seismicEvent({
      time: new Date(Date.UTC(2020, 0, 1, 0, i)).toISOString(),
      magnitude,
      magnitude_type: "ML",
      ...given,
    }),
  );

const idOf = async (magnitudes: readonly number[], given?: object) =>
  (await createCatalogue(editor, { events: events(magnitudes, given) })).id;

const RAMP = Array.from({ length: 40 }, (_, i) => 2 + i / 20);

describe("a comparison of two catalogues", () => {
  test("tells their pairs, the differences of these, and one magnitude by the other", async () => {
    const a = await idOf([...RAMP, 1]);
    const b = await idOf(
      RAMP.map((x) => 0.5 + 0.9 * x),
      { magnitude_type: "Mw", depth: 17.1 },
    );
    const { status, body, headers } = await compare(editor, { a, b });
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    const close = (value: number) => expect.closeTo(value, 9);
    const none = { n: 40, median: 0, sigma: 0, p05: 0, p95: 0 };
    const slope = close(0.9);
    const line = { slope, intercept: close(0.5), sigma: close(0) };
    const lines = {
      range: { min: 2, max: 3.95 },
      ols: line,
      gor: line,
      theilSen: { ...line, slopeLow: slope, slopeHigh: slope },
    };
    expect(body).toMatchObject({
      method: "compare",
      a: { catalogue: a, version: 1, events: 41, withoutMagnitude: 0 },
      b: { catalogue: b, version: 1, events: 40, start: "2020-01-01T00:00:00.000000Z" },
      parameters: { ...THRESHOLDS, eta: 1 },
      estimate: {
        matched: 40,
        unmatched: { a: 1, b: 0 },
        nearThreshold: 0,
        residuals: {
          time: none,
          distance: none,
          depth: { n: 40, median: close(2) },
          magnitude: { n: 40, median: close(0.5 - 0.1 * 2.975) },
        },
        ...lines,
      },
      series: [{ types: { a: "ML", b: "Mw" }, n: 40, ...lines }],
      warnings: [],
    });
    expect(body.bins[0]).toEqual({
      magnitude: 1,
      a: { matched: 0, unmatched: 1 },
      b: { matched: 0, unmatched: 0 },
    });
  });

  test("has no lines, and says why, of few pairs; a fixed depth is no depth", async () => {
    const a = await idOf([3, 4]);
    const b = await idOf([3, 4], { depth_type: "operator assigned" });
    const { body } = await compare(editor, { a, b });
    expect(body).toMatchObject({
      estimate: { matched: 2, residuals: { depth: null }, ols: null, gor: null, theilSen: null },
      n: 2,
      required: 30,
      series: [],
    });
    expect(body.reason).toBe("too few pairs of events with both magnitudes");
  });

  test("is of the versions that are named, also of one catalogue with itself", async () => {
    const id = await idOf(RAMP);
    await editor.send("POST", `/api/catalogues/${id}/events`, {
      events: [seismicEvent({ time: "2021-01-01T00:00:00Z" })],
    });
    const { body } = await compare(editor, { a: id, b: id, asOfA: 1 });
    expect([body.a.version, body.b.version]).toEqual([1, 2]);
    expect(body.estimate).toMatchObject({ matched: 40, unmatched: { a: 0, b: 1 } });
    expectRefusal(await compare(editor, { a: id, b: id, asOfB: "9" }), "NOT_FOUND");
    const refused = await compare(editor, { a: id, b: id, asOfB: "soon" });
    expectRefusal(refused, "VALIDATION_ERROR");
    expect(refused.body).toMatchObject({ details: [{ field: "asOfB" }] });
  });

  test("is for those who may read both", async () => {
    const guest = createApiClient(service.url);
    const [a, b] = [await idOf([3]), await idOf([3])];
    expectRefusal(await compare(guest, { a, b }), "UNAUTHENTICATED");
    await editor.send("PATCH", `/api/catalogues/${a}`, { is_public: true });
    expectRefusal(await compare(guest, { a, b }), "UNAUTHENTICATED");
    expectRefusal(await compare(guest, { a: b, b: a }), "UNAUTHENTICATED");
    await editor.send("PATCH", `/api/catalogues/${b}`, { is_public: true });
    expect((await compare(guest, { a, b })).status).toBe(200);
    expect((await compare(await service.loginAs("viewer"), { a, b })).status).toBe(200);
    await editor.send("DELETE", `/api/catalogues/${b}`);
    expectRefusal(await compare(editor, { a, b }), "NOT_FOUND");
  });
});

describe("a comparison in the background", () => {
  const ended = async (client: ApiClient, id: string): Promise<Job> => {
    await (await client.stream(`/api/operations/${id}/stream`)).text();
    const { body } = await client.get<{ operation: Job }>(`/api/operations/${id}`);
    return body.operation;
  };
  const started = ({ status, body }: { status: number; body: unknown }): string => {
    expect(status).toBe(202);
    return (body as { operationId: string }).operationId;
  };

  test("answers what it would have answered at once", async () => {
    const viewer = await service.loginAs("viewer");
    const a = await idOf(RAMP);
    const answer = await compare(viewer, { a, b: a }, { prefer: "respond-async" });
    const operation = await ended(viewer, started(answer));
    expect(operation).toMatchObject({ kind: "compare", progress: { done: 80, unit: "events" } });
    expect(operation.result).toEqual((await compare(viewer, { a, b: a })).body);
  });

  test("is that of more than 100,000 events but what is known, and can be cancelled; a guest waits", async () => {
    const { id } = await createCatalogue(editor, { events: events(RAMP), is_public: true });
    const known = await compare(editor, { a: id, b: id });
    // As it says of itself: whatever reads its events fails by that.
    await withClient(service.databaseUrl, (database) =>
      database.query("update read_model.catalogues set event_count = 50001 where id = $1", [id]),
    );
    const again = await compare(editor, { a: id, b: id });
    expect([again.status, again.body]).toEqual([200, known.body]);
    const other = started(await compare(editor, { a: id, b: id, eta: 2 }));
    await editor.send("DELETE", `/api/operations/${other}`);
    expect(["cancelled", "failed"]).toContain((await ended(editor, other)).status);
    const guest = createApiClient(service.url);
    expect((await compare(guest, { a: id, b: id, eta: 3 })).status).toBe(500);
  });
});
