import { expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { Job } from "#contracts/http/jobs.ts";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { createLogger } from "#infra/process/logger.ts";
import type { Fault } from "../../support/agency/fault.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import {
  EVERYTHING,
  historyOf,
  importEvents,
  imported,
  serve,
  useAgency,
  useImports,
} from "../../support/api/imports.ts";
import { expectRefusal, type RefusalBody } from "../../support/api/refusal.ts";
import { withClient } from "../../support/database-template.ts";

const lines: string[] = [];
const destination = { write: (line: string) => lines.push(line) };
const logger = createLogger({ level: "trace", pretty: false, destination });
const FIRST = [...servedEvents(1, 30)];
const scene = useImports({ events: FIRST }, { AGENCY_ALLOW_PRIVATE: "true" }, { logger });
const islands = useAgency(
  scene.service,
  { events: servedEvents(2, 20) },
  { name: "Islands", dialect: "geonet", maxPerRequest: 1_000, requestsAtOnce: 1 },
);
const admin = scene.service.client("admin");
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
  expect((await imported(admin)).newEvents).toBe(30);
  const before = scene.agency.requests.length;
  const { catalogueId, newEvents } = await islands.imported(admin);
  expect(newEvents).toBe(20);
  expect(scene.agency.requests).toHaveLength(before);
  expect([islands.agency.requests.length > 0, islands.agency.peak()]).toEqual([true, 1]);
  const { body } = await admin.get<Catalogue>(`/api/catalogues/${catalogueId}`);
  expect(body.name).toMatch(/^Islands import \d{4}-/);
  await imported(admin, { catalogueId, agency: "test-agency" });
  expect(await askedIn(catalogueId)).toEqual([
    { agency_id: islands.id, revision: 1 },
    { agency_id: "test-agency", revision: 2 },
  ]);
});

test("an import from an agency that is unknown, not enabled, not named or a file is refused", async () => {
  const url = `${islands.agency.url}/file.csv`;
  await admin.send("POST", "/api/agencies", { id: "table", name: "T", url, dialect: "table" });
  for (const agency of ["nowhere", "emsc", "", "table"]) {
    const answer = await importEvents(admin, { ...EVERYTHING, agency });
    expectRefusal(answer, "VALIDATION_ERROR", "agency");
  }
  await admin.send("DELETE", "/api/agencies/table");
});

test("each agency has a circuit of its own, in readiness and metrics; the service stays ready", async () => {
  const circuits = async () => {
    const { status, body } = await admin.get<ReadinessReport>("/api/ready");
    expect(status).toBe(200);
    const told = body.checks.filter(({ name }) => name.startsWith("agency"));
    return Object.fromEntries(told.map(({ name, message }) => [name, message]));
  };
  const metric = async (circuit: string) => {
    const text = await (await fetch(`${scene.service.url}/metrics`)).text();
    const line = new RegExp(`^circuit_breaker_state\\{circuit="${circuit}"\\} (\\d)$`, "m");
    return line.exec(text)?.[1];
  };
  const [closed, name] = ["Circuit breaker: CLOSED", `agency:${islands.id}`];
  expect(await circuits()).toEqual({ agency_api: closed, [name]: closed });
  islands.agency.fail(() => ({ kind: "status", status: 500 }));
  const before = islands.agency.requests.length;
  const codes: string[] = [];
  for (let i = 0; i < 7; i += 1) {
    const { body } = await islands.ask(admin);
    codes.push((body as unknown as RefusalBody).code);
    if (i === 6) {
      const [run] = await historyOf(admin, body.catalogueId);
      expect(run?.errors).toMatchObject([{ code: "CIRCUIT_OPEN" }]);
    }
  }
  const failures = Array(5).fill("AGENCY_UNAVAILABLE");
  expect(codes).toEqual([...failures, "CIRCUIT_OPEN", "CIRCUIT_OPEN"]);
  expect(islands.agency.requests).toHaveLength(before + 5);
  expect(await circuits()).toEqual({ agency_api: closed, [name]: "Circuit breaker: OPEN" });
  expect([await metric(islands.id), await metric("Test agency")]).toEqual(["2", "0"]);
  expect((await imported(admin)).newEvents).toBe(30);
  // Changed in earnest, it begins anew.
  islands.agency.fail();
  await admin.send("PATCH", `/api/agencies/${islands.id}`, { name: "Far islands" });
  expect((await islands.imported(admin)).newEvents).toBe(20);
  expect((await circuits())[name]).toBe(closed);
});

const SECRET = "hunter2hunter2";
const BEARER = `proxy: Authorization: Bearer ${SECRET}\u0007`;
const KEY = `${"x".repeat(5_000)} {"api_key": "${SECRET}"}`;
const SAID: readonly (readonly [string, Fault])[] = [
  ["a header that it repeats", { kind: "status", status: 503, text: BEARER }],
  ["a key in five thousand characters", { kind: "status", status: 400, text: KEY }],
  ["an address", { kind: "status", status: 403, text: `see https://name:${SECRET}@host/` }],
  ["a redirect", { kind: "status", status: 302, location: `https://host.example/?s=${SECRET}` }],
];

/** What the agency's words come to: the answer, the history, the operation and its stream. */
async function everythingTold(): Promise<string[]> {
  const answer = await importEvents(admin);
  const { catalogueId } = answer.body;
  expect(answer.status).toBe(500);
  const accepted = await importEvents(admin, EVERYTHING, { prefer: "respond-async" });
  const path = accepted.headers.get("location") ?? "";
  const stream = await (await admin.stream(`${path}/stream`)).text();
  const operation = await admin.get<{ operation: Job }>(path);
  expect(operation.body.operation.status).toBe("failed");
  return [answer.body, await historyOf(admin, catalogueId), operation.body, stream].map((told) =>
    JSON.stringify(told),
  );
}

test("nothing secret of an agency is told or logged, nor much of anything", async () => {
  for (const [name, fault] of SAID) {
    scene.agency.fail(() => fault);
    const before = lines.length;
    for (const told of await everythingTold()) {
      expect(told, name).toContain("Test agency");
      expect(told, name).not.toContain(SECRET);
      expect(told, name).not.toMatch(/x{201}|\\u0007/);
    }
    const logged = lines.slice(before).join("");
    expect(logged, name).toContain("Test agency");
    expect(logged, name).not.toMatch(new RegExp(`${SECRET}|x{201}`));
  }
  scene.agency.fail();
  const row = { latitude: 95, longitude: 0, magnitude: 3, time: "2020-01-01T00:00:00Z" };
  const ids = [`token=${SECRET}`, "x".repeat(250)];
  serve(scene.agency, ...ids.map((source_id) => ({ row: { ...row, source_id } })));
  const { errors } = await imported(admin);
  expect(errors.map(({ source_id }) => source_id).sort()).toEqual([
    "token [left out]",
    `${"x".repeat(199)}…`,
  ]);
});
