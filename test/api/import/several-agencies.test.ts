import { afterAll, beforeAll, expect, test } from "vitest";
import type { Agency } from "#contracts/http/agencies.ts";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { startTestAgency, type TestAgency } from "../../support/agency/test-agency.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { withClient } from "../../support/database-template.ts";
import { expectRefusal, type RefusalBody } from "../support/refusal.ts";
import { EVERYTHING, importEvents, imported, useImports } from "./import-scene.ts";

const scene = useImports({ events: servedEvents(1, 300) }, { AGENCY_ALLOW_PRIVATE: "true" });
let islands: TestAgency;
let admin: ApiClient;

beforeAll(async () => {
  islands = await startTestAgency({ events: servedEvents(2, 200) });
  admin = await scene.service.loginAs("admin");
  const { status } = await admin.send<{ agency: Agency }>("POST", "/api/agencies", {
    id: "islands",
    name: "Islands",
    url: islands.url,
    dialect: "geonet",
    maxPerRequest: 1_000,
    requestsAtOnce: 1,
  });
  if (status !== 201) throw new Error(`adding an agency answered ${status}`);
});
afterAll(() => islands.close());

/** What the read model says of whom a catalogue's imports asked. */
function askedIn(catalogueId: string): Promise<readonly object[]> {
  return withClient(scene.service.databaseUrl, async (client) => {
    const { rows } = await client.query(
      `select agency_id, revision from read_model.imports where catalogue_id = $1
       order by revision`,
      [catalogueId],
    );
    return rows;
  });
}

test("an import asks the agency that it names, and that of the configuration where it names none", async () => {
  const first = await imported(admin);
  expect(first.newEvents).toBe(300);
  const before = scene.agency.requests.length;
  const { catalogueId, newEvents } = await imported(admin, { agency: "islands" });
  expect(newEvents).toBe(200);
  expect(scene.agency.requests).toHaveLength(before);
  expect(islands.requests.length).toBeGreaterThan(0);
  expect(islands.peak()).toBe(1);
  const { body } = await admin.get<Catalogue>(`/api/catalogues/${catalogueId}`);
  expect(body.name).toMatch(/^Islands import \d{4}-/);
  await imported(admin, { catalogueId, agency: "test-agency" });
  expect(await askedIn(catalogueId)).toEqual([
    { agency_id: "islands", revision: 1 },
    { agency_id: "test-agency", revision: 2 },
  ]);
});

test.each([
  ["is unknown", "nowhere"],
  ["is not enabled", "emsc"],
  ["is named by nothing", ""],
])("an import from an agency that %s is refused", async (_, agency) => {
  const answer = await importEvents(admin, { ...EVERYTHING, agency });
  expectRefusal(answer, "VALIDATION_ERROR", "agency");
});

test("a file is not imported from as from an event service", async () => {
  const table = { id: "table", name: "Table", url: `${islands.url}/file.csv`, dialect: "table" };
  await admin.send("POST", "/api/agencies", table);
  const answer = await importEvents(admin, { ...EVERYTHING, agency: "table" });
  expectRefusal(answer, "VALIDATION_ERROR", "agency");
  await admin.send("DELETE", "/api/agencies/table");
});

test("the settings name the agencies that may be asked", async () => {
  const named = async () =>
    (await admin.get<{ agencies: string[] }>("/api/settings")).body.agencies;
  expect(await named()).toEqual(["Test agency", "Islands"]);
  await admin.send("PATCH", "/api/agencies/islands", { enabled: false });
  expect(await named()).toEqual(["Test agency"]);
  await admin.send("PATCH", "/api/agencies/islands", { enabled: true });
});

test("each agency has a circuit of its own, in readiness and metrics", async () => {
  const circuits = async () => {
    const { body } = await admin.get<ReadinessReport>("/api/ready");
    const told = body.checks.filter(({ name }) => name.startsWith("agency"));
    return Object.fromEntries(told.map(({ name, message }) => [name, message]));
  };
  const metric = async (circuit: string) => {
    const text = await (await fetch(`${scene.service.url}/metrics`)).text();
    return new RegExp(`^circuit_breaker_state\\{circuit="${circuit}"\\} (\\d)$`, "m").exec(
      text,
    )?.[1];
  };
  const closed = "Circuit breaker: CLOSED";
  expect(await circuits()).toEqual({ agency_api: closed, "agency:islands": closed });
  islands.fail(() => ({ kind: "status", status: 500 }));
  const codes: string[] = [];
  for (let i = 0; i < 6; i += 1) {
    const { body } = await importEvents(admin, { ...EVERYTHING, agency: "islands" });
    codes.push((body as unknown as RefusalBody).code);
  }
  expect(codes).toEqual([...Array(5).fill("AGENCY_UNAVAILABLE"), "CIRCUIT_OPEN"]);
  expect(await circuits()).toEqual({
    agency_api: closed,
    "agency:islands": "Circuit breaker: OPEN",
  });
  expect(await metric("islands")).toBe("2");
  expect(await metric("Test agency")).toBe("0");
  expect((await imported(admin)).newEvents).toBe(300);
  // Changed in earnest, it begins anew.
  islands.fail();
  await admin.send("PATCH", "/api/agencies/islands", { name: "Far islands" });
  expect((await imported(admin, { agency: "islands" })).newEvents).toBe(200);
  expect((await circuits())["agency:islands"]).toBe(closed);
});
