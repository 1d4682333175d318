import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { servedEvents } from "../../support/agency/generated-events.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { countNamed, keyed } from "../support/keyed.ts";
import { expectRefusal } from "../support/refusal.ts";
import { EVERYTHING, historyOf, importEvents, imported, useImports } from "./import-scene.ts";

const EVENTS = 30;
const RUNS = 12;
const scene = useImports({ events: servedEvents(4, EVENTS) });
let editor: ApiClient;
beforeAll(async () => {
  editor = await scene.service.loginAs("editor");
});

describe("the history of imports", () => {
  test("the history of imports is newest first, ten runs unless more are asked for", async () => {
    const { catalogueId } = await imported(editor);
    for (let i = 1; i < RUNS; i += 1) await imported(editor, { catalogueId });
    const viewer = await scene.service.loginAs("viewer");
    const runs = await historyOf(viewer, catalogueId);
    expect(runs).toHaveLength(10);
    const all = await historyOf(viewer, `${catalogueId}&limit=100`);
    expect(all).toHaveLength(RUNS);
    expect(all.slice(0, 10)).toEqual(runs);
    expect(all.at(-1)).toMatchObject({ new_events: EVENTS, skipped_events: 0 });
    const starts = all.map(({ start_time: start }) => start);
    expect(starts).toEqual(starts.toSorted().reverse());
    for (const { start_time: start, end_time: end } of all) expect(end >= start).toBe(true);
    expect(await historyOf(viewer, `${catalogueId.toUpperCase()}&limit=1`)).toEqual(
      all.slice(0, 1),
    );
  });

  test("the history of imports is empty of a catalogue that nothing was imported into, that is gone, and of none", async () => {
    const { id } = await createCatalogue(editor);
    expect(await historyOf(editor, id)).toEqual([]);
    expect(await historyOf(editor, randomUUID())).toEqual([]);
    const { catalogueId } = await imported(editor);
    await editor.send("DELETE", `/api/catalogues/${catalogueId}`);
    expect(await historyOf(editor, catalogueId)).toEqual([]);
  });

  test.each([
    ["", "catalogueId"],
    ["catalogueId=", "catalogueId"],
    ["catalogueId=12", "catalogueId"],
    [`catalogueId=${randomUUID()}&limit=0`, "limit"],
    [`catalogueId=${randomUUID()}&limit=101`, "limit"],
    [`catalogueId=${randomUUID()}&limit=ten`, "limit"],
  ])("the history of imports is refused for ?%s", async (query, field) => {
    const answer = await editor.get(`/api/import/history?${query}`);
    expectRefusal(answer, "VALIDATION_ERROR", field);
  });
});

describe("an import with an Idempotency-Key", () => {
  test("an import with an Idempotency-Key is made once, and answered again as it was", async () => {
    const name = `once ${randomUUID()}`;
    const [body, headers] = [{ ...EVERYTHING, catalogueName: name }, keyed()];
    const first = await importEvents(editor, body, headers);
    const again = await importEvents(editor, body, headers);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await countNamed(editor, name)).toBe(1);
    expect(await historyOf(editor, first.body.catalogueId)).toHaveLength(1);
  });

  test("an import with an Idempotency-Key that has failed is made again, into the catalogue that it had made", async () => {
    const name = `again ${randomUUID()}`;
    const [body, headers] = [{ ...EVERYTHING, catalogueName: name }, keyed()];
    scene.agency.fail(() => ({ kind: "status", status: 400 }));
    expectRefusal(await importEvents(editor, body, headers), "AGENCY_ERROR");
    scene.agency.fail();
    const { status, body: result } = await importEvents(editor, body, headers);
    expect(status).toBe(200);
    expect(result).toMatchObject({ catalogueName: name, newEvents: EVENTS });
    expect(await countNamed(editor, name)).toBe(1);
    expect(await historyOf(editor, result.catalogueId)).toHaveLength(2);
  });
});
