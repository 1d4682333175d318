import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Schedule } from "#contracts/http/schedules.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";
import { askForSchedule, newSchedule, scheduleOf } from "../support/schedules.ts";

const service = sharedService();
let editor: ApiClient;
let catalogue: string;
beforeAll(async () => {
  editor = await service.loginAs("editor");
  catalogue = (await createCatalogue(editor)).id;
});

const pathOf = (id: string) => `/api/schedules/${id}`;
const listed = async (client: ApiClient, query = "") => {
  const { body } = await client.get<{ schedules: Schedule[] }>(`/api/schedules${query}`);
  return body.schedules.map(({ id }) => id);
};

describe("a new schedule", () => {
  test("has the defaults of what is not said, and is due everyMinutes after its creation", async () => {
    const { status, headers, body } = await askForSchedule(editor, catalogue, { everyMinutes: 90 });
    expect(status).toBe(201);
    const { id, created_at, updated_at, created_by, next_run, ...rest } = body.schedule;
    expect(headers.get("location")).toBe(pathOf(id));
    expect(created_by).toMatch(/^user_/);
    expect(updated_at).toBe(created_at);
    expect(Date.parse(next_run ?? "") - Date.parse(created_at)).toBe(90 * 60_000);
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
  });

  test("keeps what is said", async () => {
    const asked = {
      everyMinutes: 10_080,
      lookbackHours: 87_600,
      ...{ minMagnitude: 2.5, maxMagnitude: 9, minDepth: -1, maxDepth: 700 },
      ...{ minLatitude: -48, maxLatitude: -34, minLongitude: 165, maxLongitude: -175 },
      ...{ detail: "summary", updateExisting: false, withdrawn: "mark", push: true },
    };
    const { body } = await askForSchedule(editor, catalogue, asked);
    expect(body.schedule).toMatchObject(asked);
  });

  test("is made once for a repeated key", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const form = { catalogueId: catalogue, agency: "geonet", everyMinutes: 60, lookbackHours: 24 };
    type One = { schedule: Schedule };
    const first = await editor.send<One>("POST", "/api/schedules", form, headers);
    const again = await editor.send<One>("POST", "/api/schedules", form, headers);
    expect(again.body).toEqual(first.body);
  });

  test.each([
    ["everyMinutes", 0],
    ["everyMinutes", 10_081],
    ["everyMinutes", 1.5],
    ["everyMinutes", null],
    ["lookbackHours", 0],
    ["lookbackHours", 87_601],
    ["agency", ""],
    ["agency", "nobody"],
    ["agency", null],
    ["minLatitude", -91],
    ["maxLongitude", 181],
    ["minDepth", "10"],
    ["detail", "all"],
    ["updateExisting", "yes"],
    ["withdrawn", "forget"],
    ["push", 1],
  ])("is refused where %s is %j", async (field, value) => {
    const answer = await askForSchedule(editor, catalogue, { [field]: value });
    expectRefusal(answer, "VALIDATION_ERROR", field);
  });

  test("is refused where a bound is above its other one", async () => {
    const crossed = { minMagnitude: 5, maxMagnitude: 4 };
    const answer = await askForSchedule(editor, catalogue, crossed);
    expectRefusal(answer, "VALIDATION_ERROR", "minMagnitude");
  });

  test("is refused for a catalogue that is not there", async () => {
    expectRefusal(await askForSchedule(editor, randomUUID()), "NOT_FOUND");
  });
});

describe("a schedule", () => {
  test("is changed in what is said, and is paused and resumed", async () => {
    const id = await newSchedule(editor, catalogue, { minMagnitude: 2 });
    const change = { everyMinutes: 5, maxMagnitude: 4, paused: true };
    const { status, body } = await editor.send<{ schedule: Schedule }>("PATCH", pathOf(id), change);
    expect(status).toBe(200);
    expect(body.schedule).toMatchObject({ ...change, minMagnitude: 2, next_run: null });
    const resumed = { paused: false, minMagnitude: null };
    await editor.send("PATCH", pathOf(id), resumed);
    const after = await scheduleOf(editor, id);
    expect(after).toMatchObject({ ...change, ...resumed });
    expect(Date.parse(after.next_run ?? "") - Date.parse(after.created_at)).toBe(5 * 60_000);
  });

  test("keeps its bounds in order when one of them is changed", async () => {
    const id = await newSchedule(editor, catalogue, { minMagnitude: 2 });
    const answer = await editor.send("PATCH", pathOf(id), { maxMagnitude: 1 });
    expectRefusal(answer, "VALIDATION_ERROR", "minMagnitude");
  });

  test("is asked of an agency that is there", async () => {
    const id = await newSchedule(editor, catalogue);
    const answer = await editor.send("PATCH", pathOf(id), { agency: "nobody" });
    expectRefusal(answer, "VALIDATION_ERROR", "agency");
  });

  test("is gone once it is ended", async () => {
    const id = await newSchedule(editor, catalogue);
    const { status, body } = await editor.send("DELETE", pathOf(id));
    expect({ status, body }).toEqual({ status: 200, body: { success: true } });
    expectRefusal(await editor.get(pathOf(id)), "NOT_FOUND");
    expectRefusal(await editor.send("DELETE", pathOf(id)), "NOT_FOUND");
    expectRefusal(await editor.send("POST", `${pathOf(id)}/run`), "NOT_FOUND");
    expect(await listed(editor)).not.toContain(id);
  });

  test("ends with its catalogue", async () => {
    const other = (await createCatalogue(editor)).id;
    const id = await newSchedule(editor, other);
    await editor.send("DELETE", `/api/catalogues/${other}`);
    expectRefusal(await editor.get(pathOf(id)), "NOT_FOUND");
    expect(await listed(editor)).not.toContain(id);
  });

  test("is told of in the audit", async () => {
    const other = (await createCatalogue(editor)).id;
    const id = await newSchedule(editor, other);
    await editor.send("PATCH", pathOf(id), { paused: true });
    await editor.send("DELETE", pathOf(id));
    const admin = await service.loginAs("admin");
    type Audit = { entries: { summary: string }[] };
    const { body } = await admin.get<Audit>(`/api/audit?subject=catalogue-${other}`);
    const told = body.entries.map(({ summary }) => summary);
    expect(told).toContain(
      "Scheduled: geonet every 60 min for the last 24 h, withdrawn events: keep",
    );
    expect(told).toContain(`Schedule ${id} ended`);
  });
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
    expectRefusal(await editor.get(pathOf(id)), "NOT_FOUND", "Schedule not found");
    expectRefusal(await editor.send("PATCH", pathOf(id), {}), "NOT_FOUND", "Schedule not found");
    expectRefusal(
      await editor.send("POST", `${pathOf(id)}/run`),
      "NOT_FOUND",
      "Schedule not found",
    );
    expectRefusal(await askForSchedule(editor, hidden), "NOT_FOUND", "Catalogue not found");
  });

  test("is there for who may not change the catalogue, whose schedules he changes neither", async () => {
    const admin = await service.loginAs("admin");
    const { id: kept } = await createCatalogue(admin, { editing: "members" });
    const id = await newSchedule(admin, kept);
    expect(await listed(editor)).toContain(id);
    expectRefusal(await askForSchedule(editor, kept), "FORBIDDEN");
    expectRefusal(await editor.send("PATCH", pathOf(id), { paused: true }), "FORBIDDEN");
    expectRefusal(await editor.send("DELETE", pathOf(id)), "FORBIDDEN");
    expectRefusal(await editor.send("POST", `${pathOf(id)}/run`), "FORBIDDEN");
  });
});
