import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { ErrorCode } from "#contracts/errors.ts";
import { DECISION_LIMITS } from "#contracts/merge/merge-decision.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { seismicEvent } from "../support/catalogue.ts";
import { whileProcessing } from "../support/open-revision.ts";
import { expectRefusal } from "../support/refusal.ts";
import { CONFIG, mergeForm, type Source, sourceOf } from "./merge-scene.ts";

const service = sharedService();
let client: ApiClient;
let sources: readonly [Source, Source];
beforeAll(async () => {
  client = await service.loginAs("editor");
  sources = [
    await sourceOf(client, "one", [seismicEvent()]),
    await sourceOf(client, "other", [seismicEvent()]),
  ];
});

const PATHS = ["/api/merge", "/api/merge/preview"] as const;

const catalogues = async () => {
  const { body } = await client.get<{ total: number }>("/api/catalogues");
  return body.total;
};

/** Expects the refusal of a body at both operations, and that nothing came of it. */
async function expectRefused(body: unknown, code: ErrorCode, names?: string): Promise<void> {
  const before = await catalogues();
  for (const path of PATHS) expectRefusal(await client.send("POST", path, body), code, names);
  expect(await catalogues()).toBe(before);
}

const withConfig = (config: Record<string, unknown>) => ({
  ...mergeForm(sources),
  config: { ...CONFIG, ...config },
});

describe("a merge is refused", () => {
  test.each([
    ["timeThreshold", -1],
    ["timeThreshold", 3600.001],
    ["timeThreshold", "16"],
    ["timeThreshold", null],
    ["timeThreshold", undefined],
    ["distanceThreshold", -0.001],
    ["distanceThreshold", 1000.5],
    ["distanceThreshold", [50]],
    ["distanceThreshold", undefined],
    ["mergeStrategy", "best"],
    ["mergeStrategy", "Quality"],
    ["mergeStrategy", undefined],
    ["priority", 7],
    ["priority", "x".repeat(256)],
    ["priority", "a\u0000b"],
    ["priority", "a\u202eb"],
    ["linkage", "single"],
    ["linkage", null],
  ])("a merge is refused with %s %j", async (field, value) => {
    await expectRefused(withConfig({ [field]: value }), "VALIDATION_ERROR", field);
  });

  test("a merge is refused without sources, with one, with more than 50, and with one named twice", async () => {
    const [one, other] = sources;
    const many = Array.from({ length: 51 }, () => ({ id: randomUUID(), source: "s" }));
    const twice = [one, { ...other, id: one.id.toUpperCase() }];
    for (const wrong of [undefined, null, {}, [], [one], many, twice]) {
      const body = { ...mergeForm([]), sourceCatalogues: wrong };
      await expectRefused(body, "VALIDATION_ERROR", "sourceCatalogues");
    }
  });

  test.each([
    ["id", "not an id"],
    ["id", 7],
    ["id", undefined],
    ["source", 7],
    ["source", "x".repeat(256)],
    ["source", "\ud800"],
    ["source", "a\u202eb"],
    ["source", "a\nb"],
  ])("a merge is refused with a source whose %s is %j", async (field, value) => {
    const body = mergeForm([sources[0], { ...sources[1], [field]: value }]);
    await expectRefused(body, "VALIDATION_ERROR", `sourceCatalogues.1.${field}`);
  });

  test("a merge is refused without a configuration", async () => {
    await expectRefused({ ...mergeForm(sources), config: undefined }, "VALIDATION_ERROR", "config");
  });

  test.each([
    [{ access: "public", is_public: false }, "access"],
    [{ access: "restricted", is_public: true }, "access"],
    [{ access: "secret" }, "access"],
    [{ is_public: "yes" }, "is_public"],
    [{ editing: "nobody" }, "editing"],
  ])("a merge is refused whose rights are %j, as a creation is", async (rights, field) => {
    await expectRefused({ ...mergeForm(sources), ...rights }, "VALIDATION_ERROR", field);
  });

  test.each([
    [{ name: undefined }, "MISSING_NAME"],
    [{ name: "  " }, "MISSING_NAME"],
    [{ name: 7 }, "VALIDATION_ERROR"],
    [{ name: "x".repeat(256) }, "NAME_TOO_LONG"],
    [{ name: "a\u0000b" }, "VALIDATION_ERROR"],
  ] as const)("a merge is refused under the name of %j by %s", async (name, code) => {
    const before = await catalogues();
    const answer = await client.send("POST", "/api/merge", { ...mergeForm(sources), ...name });
    expectRefusal(answer, code);
    expect(await catalogues()).toBe(before);
  });

  test("where a source is not there, or was deleted, naming it", async () => {
    const gone = await sourceOf(client, "gone", []);
    await client.send("DELETE", `/api/catalogues/${gone.id}`);
    for (const id of [gone.id, randomUUID()]) {
      await expectRefused(mergeForm([sources[0], { id, source: "s" }]), "NOT_FOUND", id);
    }
  });

  test("where a source has no version yet, naming it", async () => {
    await whileProcessing(service, async (id) => {
      const status = async () => (await client.get(`/api/catalogues/${id}`)).body;
      await expect.poll(status).toMatchObject({ status: "processing" });
      await expectRefused(mergeForm([sources[0], { id, source: "s" }]), "CONFLICT", id);
    });
  });

  test("where thresholds so wide meet events so dense that the pairs do not fit in memory", async () => {
    const swarm = (second: number) =>
      Array.from({ length: 3_200 }, (_, i) =>
        seismicEvent({ time: new Date(Date.UTC(2020, 0, 1) + i * 100 + second).toISOString() }),
      );
    const dense = [await sourceOf(client, "a", swarm(0)), await sourceOf(client, "b", swarm(7))];
    const wide = { timeThreshold: 3600, distanceThreshold: 1000 };
    await expectRefused(mergeForm(dense, wide), "MERGE_ERROR", "pairs");
  });

  test("a merge is refused for bodies that are no request at all", async () => {
    for (const path of PATHS) {
      expectRefusal(await client.send("POST", path, "{"), "INVALID_JSON");
      expectRefusal(await client.send("POST", path, '{"__proto__":1}'), "INVALID_JSON");
      expectRefusal(await client.send("POST", path, "[]"), "VALIDATION_ERROR");
      expectRefusal(await client.send("POST", path, "null"), "VALIDATION_ERROR");
      const text = { "content-type": "text/plain" };
      expectRefusal(await client.send("POST", path, "x", text), "UNSUPPORTED_MEDIA_TYPE");
      const padding = "x".repeat((DECISION_LIMITS.bodyMiB + 1) * 2 ** 20);
      const large = { ...mergeForm(sources), padding };
      expectRefusal(await client.send("POST", path, large), "BODY_TOO_LARGE");
    }
  });

  test("but not for thresholds at their bounds, an absent priority or members unknown", async () => {
    const { priority: _, ...config } = CONFIG;
    for (const bounds of [
      { timeThreshold: 0, distanceThreshold: 0 },
      { timeThreshold: 3600, distanceThreshold: 1000 },
    ]) {
      const body = { ...mergeForm(sources), config: { ...config, ...bounds, other: 1 }, more: {} };
      for (const path of PATHS) expect((await client.send("POST", path, body)).status).toBe(200);
    }
  });
});
