import { expect, test } from "vitest";
import { agencySlug } from "#contracts/events/agencies.ts";
import { AGENCY_PRESETS } from "#contracts/events/imports.ts";
import type { Agency } from "#contracts/http/imports.ts";
import { SOME_AGENCY } from "../../support/api/agencies.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { historyOf, importEvents, useImports } from "../../support/api/imports.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { newSchedule } from "../../support/api/schedules.ts";
import type { ApiClient } from "../../support/api-client.ts";

const scene = useImports({}, { AGENCY_TIMEOUT: "1" });

const FIRST = {
  id: "test-agency",
  kind: "first",
  name: "Test agency",
  dialect: "fdsn",
  enabled: true,
  maxPerRequest: null,
  requestsAtOnce: 2,
  push: null,
  push_since: null,
};

const agenciesOf = async (client: ApiClient) =>
  (await client.get<{ agencies: Agency[] }>("/api/agencies")).body.agencies;
const admin = () => scene.service.loginAs("admin");
const add = async (id: string, more: object = {}) =>
  (await admin()).send<{ agency: Agency }>("POST", "/api/agencies", {
    ...SOME_AGENCY,
    id,
    ...more,
  });
const change = async (id: string, settings: object) =>
  (await admin()).send<{ agency: Agency }>("PATCH", `/api/agencies/${id}`, settings);
const remove = async (id: string) => (await admin()).send("DELETE", `/api/agencies/${id}`);

test("viewers see the agency of the configuration first, then those known beforehand, which are off", async () => {
  const [first, ...others] = await agenciesOf(await scene.service.loginAs("viewer"));
  expect(first).toEqual({ ...FIRST, url: scene.agency.url });
  const presets = others.filter(({ kind }) => kind === "preset");
  expect(presets.map(({ id }) => id).toSorted()).toEqual(Object.keys(AGENCY_PRESETS).toSorted());
  expect(presets.every(({ enabled }) => !enabled)).toBe(true);
  const names = others.map(({ name }) => name);
  expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, "en")));
});

test("an agency is added with defaults, changed in part and removed, which the audit tells in words", async () => {
  const added = await add("islands", { url: "https://SEISMOLOGY.invalid/fdsnws/event/1/" });
  expect([added.status, added.headers.get("location")]).toEqual([201, "/api/agencies/islands"]);
  const agency = { ...FIRST, ...SOME_AGENCY, id: "islands", kind: "added" };
  expect(added.body).toEqual({ agency });
  const push = "wss://seismology.invalid/standing_order/websocket";
  const settings = { enabled: false, maxPerRequest: 500, requestsAtOnce: 1, push };
  const changed = await change("islands", settings);
  expect(changed).toMatchObject({ status: 200, body: { agency: { ...agency, ...settings } } });
  expect(await agenciesOf(await admin())).toContainEqual(changed.body.agency);
  expect((await change("islands", { push: null })).body.agency.push).toBeNull();
  expect((await remove("islands")).body).toEqual({ success: true });
  expect((await agenciesOf(await admin())).map(({ id }) => id)).not.toContain("islands");
  expectRefusal(await remove("islands"), "NOT_FOUND");
  expectRefusal(await change("islands", { enabled: true }), "NOT_FOUND");
  expect((await add("islands")).status).toBe(201);
  await remove("islands");
  const { body } = await (await admin()).get<{ entries: { summary: string }[] }>(
    "/api/audit?subject=agency-islands",
  );
  const name = `Agency islands (${SOME_AGENCY.name})`;
  expect(body.entries.map(({ summary }) => summary)).toEqual([
    `${name} added: ${SOME_AGENCY.url}`,
    `${name} changed: ${SOME_AGENCY.url}, turned off`,
    `${name} changed: ${SOME_AGENCY.url}, turned off`,
    "Agency islands removed",
    `${name} added: ${SOME_AGENCY.url}`,
    "Agency islands removed",
  ]);
});

test("an agency known beforehand is turned on and off; neither it nor one that a schedule asks is removed, and that of the configuration is not even changed", async () => {
  const emsc = { id: "emsc", kind: "preset", ...AGENCY_PRESETS["emsc"], push_since: null };
  const { body } = await change("emsc", { enabled: true });
  expect(body).toEqual({ agency: { ...emsc, enabled: true } });
  expect((await agenciesOf(await admin())).filter(({ id }) => id === "emsc")).toHaveLength(1);
  expect((await change("emsc", { enabled: false })).body).toEqual({ agency: emsc });
  await add("scheduled");
  const editor = await scene.service.loginAs("editor");
  const { id: catalogue } = await createCatalogue(editor);
  const schedule = await newSchedule(editor, catalogue, { agency: "scheduled" });
  for (const id of ["emsc", "isc", "scheduled", FIRST.id]) {
    expectRefusal(await remove(id), "CONFLICT");
  }
  for (const id of ["scheduled", "usgs", FIRST.id]) expectRefusal(await add(id), "CONFLICT");
  expectRefusal(await change(FIRST.id, { enabled: false }), "CONFLICT");
  await editor.send("DELETE", `/api/schedules/${schedule}`);
  expect((await remove("scheduled")).status).toBe(200);
});

test("ids that are none and addresses of no service, or that lead inward, are refused; that of a table may have a query", async () => {
  for (const [member, value] of [
    ["id", "Islands"],
    ["id", ""],
    ["id", "islands-"],
    ["dialect", "klingon"],
    ["url", "ftp://seismology.invalid/"],
    ["url", "seismology"],
    ["url", "https://me:secret@seismology.invalid/"],
    ["url", "https://seismology.invalid/?a=b"],
    ["push", "https://seismology.invalid/"],
  ] as const) {
    expectRefusal(await add("refused", { [member]: value }), "VALIDATION_ERROR", member);
  }
  for (const url of [
    "http://127.0.0.1/fdsnws/event/1",
    "http://2130706433/fdsnws/event/1",
    "http://localhost/fdsnws/event/1",
    "http://169.254.169.254/latest",
    "http://[::ffff:10.0.0.1]/",
    "https://seismology.invalid:8443/fdsnws/event/1",
    "wss://192.168.1.1/websocket",
  ]) {
    const member = url.startsWith("ws") ? "push" : "url";
    expectRefusal(await add("inward", { [member]: url }), "VALIDATION_ERROR", member);
    expectRefusal(await change("ingv", { [member]: url }), "VALIDATION_ERROR", member);
  }
  const url = "https://seismology.invalid/moment-tensors.csv?raw=1";
  expect((await add("tensors", { url, dialect: "table" })).body.agency.url).toBe(url);
});

test("the slug of a name is in small letters and digits", () => {
  for (const [name, slug] of [
    ["GeoNet", "geonet"],
    ["ORFEUS / ETH Zürich", "orfeus-eth-zurich"],
    ["  (ISC)  ", "isc"],
    ["地震", "agency"],
    [`${"x".repeat(63)} y`, "x".repeat(63)],
  ] as const) {
    expect(agencySlug(name)).toBe(slug);
  }
});

test("an agency that is silent is an AGENCY_TIMEOUT", async () => {
  const editor = await scene.service.loginAs("editor");
  scene.agency.fail(() => ({ kind: "hang" }));
  const { body } = await importEvents(editor);
  expect(body).toMatchObject({ code: "AGENCY_TIMEOUT" });
  const [run] = await historyOf(editor, body.catalogueId);
  expect(run?.errors).toMatchObject([{ code: "AGENCY_TIMEOUT" }]);
});
