import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { ComparisonAnswer } from "#contracts/http/analytics/comparison.ts";
import type { Job } from "#contracts/http/jobs.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { withClient } from "../../support/database-template.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = clientOf(service, "editor");

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

  test("knows its members alone, and their bounds", async () => {
    const id = await idOf([3]);
    for (const wrong of [{ tolerance: 1 }, { eta: 0 }, { timeThreshold: 3601 }, { b: undefined }]) {
      expectRefusal(await compare(editor, { a: id, b: id, ...wrong }), "VALIDATION_ERROR");
    }
    expectRefusal(await compare(editor, { a: id, b: randomUUID() }), "NOT_FOUND");
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
