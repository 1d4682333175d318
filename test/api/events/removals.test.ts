import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AuditEntry } from "#contracts/http/audit.ts";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogue.ts";
import { columnsOf } from "#contracts/seismic-event/event-columns.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { keyed } from "../../support/api/keyed.ts";
import { listEvents, oneEvent } from "../../support/api/one-event.ts";
import { whileRevisionIsOpen } from "../../support/api/open-revision.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { boundsOf } from "../../support/bounds-of.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = clientOf(service, "editor");
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

describe("POST …/events/remove", () => {
  type Removed = { readonly version: number; readonly removed: number };

  /** A catalogue of so many events in order of time, and the calls about it. */
  async function catalogueOf(count: number) {
    const events = Array.from({ length: count }, (_, i) =>
      seismicEvent({
        id: `event ${i}`,
        time: `20${String(10 + i).padStart(2, "0")}-01-01T00:00:00Z`,
        latitude: (i * 37) % 90,
        longitude: (i * 71) % 180,
        magnitude: i % 5 === 0 ? null : (i * 13) % 9,
      }),
    );
    const { id } = await createCatalogue(editor, { events });
    const path = `/api/catalogues/${id}`;
    const list = () => listEvents(editor, id);
    const all = await list();
    return {
      id,
      path,
      list,
      all,
      ids: all.map((event) => event.id),
      post: (body: object, query = "", headers?: Record<string, string>) =>
        editor.send<Removed>("POST", `${path}/events/remove${query}`, body, headers),
    };
  }

  test("removes what is named as one version with its reason, which restoring takes back", async () => {
    const { id, path, all, ids, list, post } = await catalogueOf(6);
    const gone = ids.filter((_, i) => i % 2 === 0);
    const answer = await post({ events: gone }, "?reason=counted+twice");
    expect(answer).toMatchObject({ status: 200, body: { version: 2, removed: 3 } });
    expect(answer.headers.get("etag")).toBe('"2"');
    expect((await list()).map((event) => event.id)).toEqual(ids.filter((_, i) => i % 2 === 1));
    const { body } = await editor.get<{ versions: CatalogueVersion[] }>(`${path}/versions`);
    expect(body.versions[0]).toMatchObject({ version: 2, cause: "edit", added: 0, removed: 3 });
    const { body: told } = await editor.get(`${path}/events/${gone[0]}/history`);
    expect(told).toMatchObject({
      history: [{ version: 2, change: "removed", reason: "counted twice" }, {}],
    });
    const admin = await service.loginAs("admin");
    const audit = `/api/audit?subject=catalogue-${id}`;
    const { entries } = (await admin.get<{ entries: AuditEntry[] }>(audit)).body;
    expect(entries.map(({ summary }) => summary)).toEqual(
      expect.arrayContaining([
        "Version 2 begun (edit): counted twice",
        expect.stringContaining("0 added, 0 updated, 3 removed, 3 events"),
      ]),
    );
    await editor.send("POST", `${path}/versions/1/restore`);
    expect(await list()).toEqual(all);
  });

  test("removes nothing where one of the events is not there, and counts one that is named twice once", async () => {
    const [{ all, ids, list, post }, other] = [await catalogueOf(3), await catalogueOf(1)];
    const [first = "", second = ""] = ids;
    for (const unknown of [UNKNOWN_ID, other.ids[0] ?? ""]) {
      expectRefusal(await post({ events: [first, unknown, second] }), "NOT_FOUND", unknown);
    }
    expect(await list()).toEqual(all);
    expect((await post({ events: [] })).body).toEqual({ version: 1, removed: 0 });
    const twice = { events: [first, first.toUpperCase()] };
    expect((await post(twice)).body).toEqual({ version: 2, removed: 1 });
    expectRefusal(await post({ events: [first, second] }), "NOT_FOUND", first);
    for (const body of [
      { events: ["event 1"] },
      { events: Array.from({ length: 10_001 }, () => UNKNOWN_ID) },
    ]) {
      expectRefusal(await post(body), "VALIDATION_ERROR", "events");
    }
    expectRefusal(await post({ events: [second] }, "?asOf=1"), "VALIDATION_ERROR", "asOf");
  });

  test("is guarded by If-Match, by other writers and by its key", async () => {
    const { id, all, ids, list, post } = await catalogueOf(3);
    const two = { events: ids.slice(0, 2) };
    expectRefusal(await post(two, "", { "if-match": '"7"' }), "PRECONDITION_FAILED");
    await whileRevisionIsOpen(service, id, async () => {
      expectRefusal(await post(two), "CONFLICT");
    });
    expect(await list()).toEqual(all);
    const headers = { ...keyed(), "if-match": '"1"' };
    const answers = [await post(two, "", headers), await post(two, "", headers)];
    expect(answers[0]).toMatchObject({ status: 200, body: { removed: 2 } });
    expect(answers[1]).toMatchObject({ status: 200, body: answers[0]?.body });
  });

  test("leaves the bounds of what is left", async () => {
    const subsets = fc.array(fc.nat(11), { minLength: 1, maxLength: 11 });
    await fc.assert(
      fc.asyncProperty(subsets, async (places) => {
        const { path, ids, list, post } = await catalogueOf(12);
        const events = [...new Set(places.map((place) => ids[place] ?? ""))];
        expect((await post({ events })).body).toEqual({ version: 2, removed: events.length });
        const left = await list();
        const { body } = await editor.get<Catalogue>(path);
        expect(body).toMatchObject({ event_count: left.length, ...boundsOf(columnsOf(left)) });
      }),
      { numRuns: runs(20) },
    );
  });
});

describe("restoring one event", () => {
  async function restorable(...submitted: readonly object[]) {
    const one = await oneEvent(editor, ...submitted);
    const restore = (version: unknown, headers?: Record<string, string>) =>
      one.send("POST", "/restore", { version }, headers);
    return { ...one, restore, remove: () => one.send("DELETE", "") };
  }
  const OTHER = seismicEvent({ id: "b", time: "2016-11-14T00:00:00Z" });

  test("makes it as it was, as a version of its own, and leaves the others alone", async () => {
    const { id, event, add, change, restore, read, history } = await restorable(
      seismicEvent({ id: "a", region: "Kaikōura", felt: 3 }),
      OTHER,
    );
    expect((await restore(1)).body).toEqual({ event, version: 1 });
    await change({ magnitude: 2, region: null, extra: null });
    await add({ events: [{ ...OTHER, magnitude: 1 }], updateExisting: true });
    const answer = await restore(1);
    expect(answer).toMatchObject({ status: 200, body: { version: 4, event } });
    expect(answer.headers.get("etag")).toBe('"4"');
    expect(await read()).toEqual(event);
    expect(await listEvents(editor, id, "maxMagnitude=1")).toMatchObject([{ source_id: "b" }]);
    const told = { version: 4, change: "updated", cause: "edit", restores: 1 };
    expect((await history())[0]).toMatchObject(told);
    expect((await restore(1)).body).toEqual({ event, version: 4 });
  });

  test("brings a removed one back under its id, and the bounds with it, but not while another has that id", async () => {
    const { catalogue, event, add, remove, restore, read, history } = await restorable(
      seismicEvent({ id: "a", latitude: -47, longitude: 166, magnitude: 8 }),
      OTHER,
    );
    const { updated_at: _, version: __, ...before } = (await editor.get<Catalogue>(catalogue)).body;
    await remove();
    expect(await restore(1)).toMatchObject({ status: 200, body: { version: 3, event } });
    expect(await read()).toEqual(event);
    expect((await editor.get(catalogue)).body).toMatchObject(before);
    expect((await history()).map(({ change }) => change)).toEqual(["added", "removed", "added"]);

    await remove();
    for (const version of [4, 5, 2 ** 40]) expectRefusal(await restore(version), "NOT_FOUND");
    await add({ events: [seismicEvent({ id: "a" })] });
    expectRefusal(await restore(1), "CONFLICT", "source_id");
    for (const version of [0, -1, 1.5, "1", null]) {
      expectRefusal(await restore(version), "VALIDATION_ERROR", "version");
    }
    for (const unknown of [
      `${catalogue}/events/${randomUUID()}`,
      `/api/catalogues/${randomUUID()}/events/${event.id}`,
    ]) {
      expectRefusal(await editor.send("POST", `${unknown}/restore`, { version: 1 }), "NOT_FOUND");
    }
  });

  test("comes with the bulletin that it had, or without where it had none", async () => {
    const { remove, change, restore, event, bulletin, send } = await restorable({
      bulletin: smallBulletin(),
    });
    const given = (await bulletin()).bulletin;
    await change({ depth: 33 });
    await send("DELETE", "/bulletin");
    expect((await restore(1)).body).toEqual({ event, version: 4 });
    expect((await bulletin()).bulletin).toEqual(given);
    await remove();
    expect((await restore(4)).body).toEqual({ event, version: 6 });
    expect((await bulletin()).bulletin).toEqual(given);
    expect((await restore(3)).body.event).toMatchObject({ depth: 33 });
    expect((await bulletin()).source).toBe("row");
    expect((await restore(2)).body.version).toBe(8);
    expect((await bulletin()).bulletin.origin?.at(-1)?.depth?.value).toBe(33_000);
  });

  test("is guarded by If-Match, by other writers and by its key", async () => {
    const { id, change, restore } = await restorable();
    await change({ magnitude: 2 });
    await whileRevisionIsOpen(service, id, async () => {
      expectRefusal(await restore(1), "CONFLICT");
    });
    expectRefusal(await restore(1, { "if-match": '"1"' }), "PRECONDITION_FAILED");
    const key = keyed();
    const first = await restore(1, { ...key, "if-match": '"2"' });
    expect(first.status).toBe(200);
    await change({ magnitude: 3 });
    const again = await restore(1, { ...key, "if-match": '"2"' });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expectRefusal(await restore(2, { ...key, "if-match": '"2"' }), "CONFLICT");
  });
});
