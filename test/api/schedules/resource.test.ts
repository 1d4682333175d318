import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Schedule } from "#contracts/http/schedules.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { askForSchedule, newSchedule, scheduleOf } from "../../support/api/schedules.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const MINUTE_MS = 60_000;
const editor = clientOf(service, "editor");
let catalogue: string;
beforeAll(async () => {
  catalogue = (await createCatalogue(editor)).id;
});

const pathOf = (id: string) => `/api/schedules/${id}`;
const listed = async (client: ApiClient, query = "") => {
  const { body } = await client.get<{ schedules: Schedule[] }>(`/api/schedules${query}`);
  return body.schedules.map(({ id }) => id);
};

test("a schedule is made with defaults, changed in part, paused, resumed and ended, and the audit tells of it", async () => {
  const { status, headers, body } = await askForSchedule(editor, catalogue, { everyMinutes: 90 });
  expect(status).toBe(201);
  const { id, created_at, updated_at, created_by, next_run, ...rest } = body.schedule;
  expect(headers.get("location")).toBe(pathOf(id));
  expect(created_by).toMatch(/^user_/);
  expect(updated_at).toBe(created_at);
  const untilRun = (next: string | null) => Date.parse(next ?? "") - Date.parse(created_at);
  expect(untilRun(next_run)).toBe(90 * MINUTE_MS);
  expect(rest).toEqual({
    catalogueId: catalogue,
    agency: "geonet",
    everyMinutes: 90,
    lookbackHours: 24,
    minMagnitude: null,
    maxMagnitude: null,
    minDepth: null,
    maxDepth: null,
    minLatitude: null,
    maxLatitude: null,
    minLongitude: null,
    maxLongitude: null,
    polygon: null,
    region: null,
    detail: "full",
    updateExisting: true,
    withdrawn: "keep",
    push: false,
    paused: false,
    running: false,
    last_run: null,
    last_whole: null,
    failures: 0,
    error: null,
  });
  expect(await scheduleOf(editor, id)).toEqual(body.schedule);

  const change = { everyMinutes: 5, minMagnitude: 2, maxMagnitude: 4, paused: true };
  const changed = await editor.send<{ schedule: Schedule }>("PATCH", pathOf(id), change);
  expect(changed.status).toBe(200);
  expect(changed.body.schedule).toMatchObject({ ...change, next_run: null });
  for (const [wrong, field] of [
    [{ maxMagnitude: 1 }, "minMagnitude"],
    [{ agency: "nobody" }, "agency"],
  ] as const) {
    expectRefusal(await editor.send("PATCH", pathOf(id), wrong), "VALIDATION_ERROR", field);
  }
  const resumed = { paused: false, minMagnitude: null };
  await editor.send("PATCH", pathOf(id), resumed);
  const after = await scheduleOf(editor, id);
  expect(after).toMatchObject({ ...change, ...resumed });
  expect(untilRun(after.next_run)).toBe(5 * MINUTE_MS);

  const ended = await editor.send("DELETE", pathOf(id));
  expect([ended.status, ended.body]).toEqual([200, { success: true }]);
  expectRefusal(await editor.get(pathOf(id)), "NOT_FOUND");
  expectRefusal(await editor.send("DELETE", pathOf(id)), "NOT_FOUND");
  expectRefusal(await editor.send("POST", `${pathOf(id)}/run`), "NOT_FOUND");
  expect(await listed(editor)).not.toContain(id);
  type Audit = { entries: { summary: string }[] };
  const admin = await service.loginAs("admin");
  const audit = await admin.get<Audit>(`/api/audit?subject=catalogue-${catalogue}`);
  const told = audit.body.entries.map(({ summary }) => summary);
  expect(told).toContain(
    "Scheduled: geonet every 90 min for the last 24 h, withdrawn events: keep",
  );
  expect(told).toContain(`Schedule ${id} ended`);
});

test("a schedule keeps what is said, is made once for a repeated key, and ends with its catalogue", async () => {
  const other = (await createCatalogue(editor)).id;
  const form = {
    catalogueId: other,
    agency: "geonet",
    everyMinutes: 10_080,
    lookbackHours: 87_600,
    ...{ minMagnitude: 2.5, maxMagnitude: 9, minDepth: -1, maxDepth: 700 },
    ...{ minLatitude: -48, maxLatitude: -34, minLongitude: 165, maxLongitude: -175 },
    ...{ detail: "summary", updateExisting: false, withdrawn: "mark", push: true },
  };
  const headers = { "idempotency-key": randomUUID() };
  const send = () => editor.send<{ schedule: Schedule }>("POST", "/api/schedules", form, headers);
  const first = await send();
  expect(first.body.schedule).toMatchObject(form);
  expect((await send()).body).toEqual(first.body);
  const { id } = first.body.schedule;
  expect(await listed(editor, `?catalogueId=${other}`)).toEqual([id]);
  await editor.send("DELETE", `/api/catalogues/${other}`);
  expectRefusal(await editor.get(pathOf(id)), "NOT_FOUND");
  expect(await listed(editor)).not.toContain(id);
});

test("a schedule without an agency or a catalogue that is there, or with crossed bounds, is refused", async () => {
  for (const [wrong, field] of [
    [{ agency: "" }, "agency"],
    [{ agency: "nobody" }, "agency"],
    [{ everyMinutes: 1.5 }, "everyMinutes"],
    [{ minMagnitude: 5, maxMagnitude: 4 }, "minMagnitude"],
  ] as const) {
    expectRefusal(await askForSchedule(editor, catalogue, wrong), "VALIDATION_ERROR", field);
  }
  expectRefusal(await askForSchedule(editor, randomUUID()), "NOT_FOUND");
});

describe("the list of schedules", () => {
  test("has the newest first, of one catalogue where that is asked for, in pages", async () => {
    const own = (await createCatalogue(editor)).id;
    const first = await newSchedule(editor, own);
    const second = await newSchedule(editor, own);
    expect(await listed(editor, `?catalogueId=${own}`)).toEqual([second, first]);
    const page = await editor.get<{ schedules: Schedule[]; nextCursor: string }>(
      `/api/schedules?catalogueId=${own}&limit=1`,
    );
    const cursor = encodeURIComponent(page.body.nextCursor);
    expect(page.body.schedules.map(({ id }) => id)).toEqual([second]);
    expect(await listed(editor, `?catalogueId=${own}&limit=1&cursor=${cursor}`)).toEqual([first]);
    expect(await listed(editor, `?catalogueId=${randomUUID()}`)).toEqual([]);
  });

  test("has none of a restricted catalogue for who is no member", async () => {
    const admin = await service.loginAs("admin");
    const { id: hidden } = await createCatalogue(admin, { access: "restricted" });
    const id = await newSchedule(admin, hidden);
    expect(await listed(admin)).toContain(id);
    expect(await listed(editor)).not.toContain(id);
    expect(await listed(editor, `?catalogueId=${hidden}`)).toEqual([]);
    for (const answer of [
      await editor.get(pathOf(id)),
      await editor.send("PATCH", pathOf(id), {}),
      await editor.send("POST", `${pathOf(id)}/run`),
    ]) {
      expectRefusal(answer, "NOT_FOUND", "Schedule not found");
    }
    expectRefusal(await askForSchedule(editor, hidden), "NOT_FOUND", "Catalogue not found");
  });

  test("is there for who may not change the catalogue, whose schedules he changes neither", async () => {
    const admin = await service.loginAs("admin");
    const { id: kept } = await createCatalogue(admin, { editing: "members" });
    const id = await newSchedule(admin, kept);
    expect(await listed(editor)).toContain(id);
    for (const answer of [
      await askForSchedule(editor, kept),
      await editor.send("PATCH", pathOf(id), { paused: true }),
      await editor.send("DELETE", pathOf(id)),
      await editor.send("POST", `${pathOf(id)}/run`),
    ]) {
      expectRefusal(answer, "FORBIDDEN");
    }
  });
});
