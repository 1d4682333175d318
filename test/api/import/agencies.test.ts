import { expect, test } from "vitest";
import { agencySlug } from "#contracts/agency-limits.ts";
import { AGENCY_PRESETS } from "#contracts/agency-presets.ts";
import type { Agency } from "#contracts/http/agencies.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { SOME_AGENCY } from "../support/agencies.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = useService({ AGENCY_NAME: "Test agency", AGENCY_URL: "http://127.0.0.1:9" });

const FIRST = {
  id: "test-agency",
  kind: "first",
  name: "Test agency",
  url: "http://127.0.0.1:9",
  dialect: "fdsn",
  enabled: true,
  maxPerRequest: null,
  requestsAtOnce: 2,
  push: null,
  push_since: null,
};

async function agenciesOf(client: ApiClient): Promise<readonly Agency[]> {
  return (await client.get<{ agencies: Agency[] }>("/api/agencies")).body.agencies;
}

async function agencyOf(client: ApiClient, id: string): Promise<Agency | undefined> {
  return (await agenciesOf(client)).find((agency) => agency.id === id);
}

const add = (client: ApiClient, id: string, more: object = {}) =>
  client.send<{ agency: Agency }>("POST", "/api/agencies", { ...SOME_AGENCY, id, ...more });
const change = (client: ApiClient, id: string, settings: object) =>
  client.send<{ agency: Agency }>("PATCH", `/api/agencies/${id}`, settings);
const remove = (client: ApiClient, id: string) => client.send("DELETE", `/api/agencies/${id}`);

test("viewers see the agency of the configuration first, then those known beforehand, which are off", async () => {
  const [first, ...others] = await agenciesOf(await service.loginAs("viewer"));
  expect(first).toEqual(FIRST);
  const presets = others.filter(({ kind }) => kind === "preset");
  expect(presets.map(({ id }) => id).toSorted()).toEqual(Object.keys(AGENCY_PRESETS).toSorted());
  expect(presets.every(({ enabled }) => !enabled)).toBe(true);
  expect(others.map(({ name }) => name)).toEqual(
    others.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b, "en")),
  );
});

test("an agency is added with defaults, changed in part and removed", async () => {
  const admin = await service.loginAs("admin");
  const added = await add(admin, "islands", { url: "https://SEISMOLOGY.invalid/fdsnws/event/1/" });
  expect(added.status).toBe(201);
  expect(added.headers.get("location")).toBe("/api/agencies/islands");
  const agency = {
    ...FIRST,
    ...SOME_AGENCY,
    id: "islands",
    kind: "added",
  };
  expect(added.body).toEqual({ agency });
  const push = "wss://seismology.invalid/standing_order/websocket";
  const settings = { enabled: false, maxPerRequest: 500, requestsAtOnce: 1, push };
  const changed = await change(admin, "islands", settings);
  expect(changed.status).toBe(200);
  expect(changed.body).toEqual({ agency: { ...agency, ...settings } });
  expect(await agencyOf(admin, "islands")).toEqual(changed.body.agency);
  expect((await change(admin, "islands", { push: null })).body.agency.push).toBeNull();
  expect((await remove(admin, "islands")).body).toEqual({ success: true });
  expect(await agencyOf(admin, "islands")).toBeUndefined();
  expectRefusal(await remove(admin, "islands"), "NOT_FOUND");
  expectRefusal(await change(admin, "islands", { enabled: true }), "NOT_FOUND");
  expect((await add(admin, "islands")).status).toBe(201);
  await remove(admin, "islands");
});

test("an agency known beforehand is turned on and off, and is not removed", async () => {
  const admin = await service.loginAs("admin");
  const { body } = await change(admin, "emsc", { enabled: true });
  const emsc = { id: "emsc", kind: "preset", ...AGENCY_PRESETS["emsc"], push_since: null };
  expect(body).toEqual({ agency: { ...emsc, enabled: true } });
  expect((await agenciesOf(admin)).filter(({ id }) => id === "emsc")).toHaveLength(1);
  expectRefusal(await remove(admin, "emsc"), "CONFLICT");
  expectRefusal(await remove(admin, "isc"), "CONFLICT");
  expect((await change(admin, "emsc", { enabled: false })).body).toEqual({ agency: emsc });
});

test("an id is given once: not that of another agency, of one known beforehand, of the first", async () => {
  const admin = await service.loginAs("admin");
  await add(admin, "twice");
  for (const id of ["twice", "usgs", FIRST.id]) expectRefusal(await add(admin, id), "CONFLICT");
  await remove(admin, "twice");
});

test("an agency that a schedule asks is not removed", async () => {
  const admin = await service.loginAs("admin");
  await add(admin, "scheduled");
  const { id: catalogueId } = await createCatalogue(await service.loginAs("editor"));
  const schedule = { catalogueId, agency: "scheduled", everyMinutes: 10_080, lookbackHours: 1 };
  type Made = { schedule: { id: string } };
  const { body } = await admin.send<Made>("POST", "/api/schedules", schedule);
  expectRefusal(await remove(admin, "scheduled"), "CONFLICT");
  await admin.send("DELETE", `/api/schedules/${body.schedule.id}`);
  expect((await remove(admin, "scheduled")).status).toBe(200);
});

test("the agency of the configuration is neither changed nor removed", async () => {
  const admin = await service.loginAs("admin");
  expectRefusal(await change(admin, FIRST.id, { enabled: false }), "CONFLICT");
  expectRefusal(await remove(admin, FIRST.id), "CONFLICT");
});

test.each([
  ["an id with capitals", { id: "Islands" }, "id"],
  ["an empty id", { id: "" }, "id"],
  ["an id that ends in a hyphen", { id: "islands-" }, "id"],
  ["an unknown dialect", { dialect: "klingon" }, "dialect"],
  ["another scheme", { url: "ftp://seismology.invalid/" }, "url"],
  ["no address", { url: "seismology" }, "url"],
  ["a user name", { url: "https://me:secret@seismology.invalid/" }, "url"],
  ["a query of an event service", { url: "https://seismology.invalid/?a=b" }, "url"],
  ["a push address of http", { push: "https://seismology.invalid/" }, "push"],
  ["no requests at once", { requestsAtOnce: 0 }, "requestsAtOnce"],
  ["no events per request", { maxPerRequest: 0 }, "maxPerRequest"],
  ["a name that is too long", { name: "x".repeat(101) }, "name"],
])("%s is refused", async (_, part, member) => {
  const admin = await service.loginAs("admin");
  expectRefusal(await add(admin, "refused", part), "VALIDATION_ERROR", member);
});

test.each([
  ["loopback", "url", "http://127.0.0.1/fdsnws/event/1"],
  ["a number", "url", "http://2130706433/fdsnws/event/1"],
  ["a name of this machine", "url", "http://localhost/fdsnws/event/1"],
  ["link-local", "url", "http://169.254.169.254/latest"],
  ["IPv4 in IPv6", "url", "http://[::ffff:10.0.0.1]/"],
  ["another port", "url", "https://seismology.invalid:8443/fdsnws/event/1"],
  ["a private push address", "push", "wss://192.168.1.1/websocket"],
])("an address that leads inward is refused: %s", async (_, member, address) => {
  const admin = await service.loginAs("admin");
  expectRefusal(await add(admin, "inward", { [member]: address }), "VALIDATION_ERROR", member);
  const changed = await change(admin, "ingv", { [member]: address });
  expectRefusal(changed, "VALIDATION_ERROR", member);
});

test("the file of a table may have a query", async () => {
  const admin = await service.loginAs("admin");
  const url = "https://seismology.invalid/moment-tensors.csv?raw=1";
  expect((await add(admin, "tensors", { url, dialect: "table" })).body.agency.url).toBe(url);
  await remove(admin, "tensors");
});

test.each([
  ["GeoNet", "geonet"],
  ["ORFEUS / ETH Zürich", "orfeus-eth-zurich"],
  ["  (ISC)  ", "isc"],
  ["地震", "agency"],
  [`${"x".repeat(63)} y`, "x".repeat(63)],
])("the slug of %s is %s", (name, slug) => expect(agencySlug(name)).toBe(slug));

test("changes of agencies are told by the audit in words", async () => {
  const admin = await service.loginAs("admin");
  await add(admin, "told");
  await change(admin, "told", { enabled: false });
  await remove(admin, "told");
  const { body } = await admin.get<{ entries: { summary: string }[] }>(
    "/api/audit?subject=agency-told",
  );
  expect(body.entries.map(({ summary }) => summary)).toEqual([
    `Agency told (${SOME_AGENCY.name}) added: ${SOME_AGENCY.url}`,
    `Agency told (${SOME_AGENCY.name}) changed: ${SOME_AGENCY.url}, turned off`,
    "Agency told removed",
  ]);
});
