import { beforeAll, expect, test } from "vitest";
import type { Job } from "#contracts/http/jobs.ts";
import { createLogger } from "#infra/logging/logger.ts";
import type { Fault } from "../../support/agency/fault.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { EVERYTHING, historyOf, importEvents, imported, useImports } from "./import-scene.ts";

const SECRET = "hunter2hunter2";
const BEARER = `proxy: Authorization: Bearer ${SECRET}\u0007`;
const KEY = `${"x".repeat(5_000)} {"api_key": "${SECRET}"}`;
const SAID: readonly (readonly [string, Fault])[] = [
  ["a header that it repeats", { kind: "status", status: 503, text: BEARER }],
  ["a key in five thousand characters", { kind: "status", status: 400, text: KEY }],
  ["an address", { kind: "status", status: 403, text: `see https://name:${SECRET}@host/` }],
  ["a redirect", { kind: "status", status: 302, location: `https://host.example/?s=${SECRET}` }],
];

const lines: string[] = [];
const destination = { write: (line: string) => lines.push(line) };
const logger = createLogger({ level: "trace", pretty: false, destination });
const scene = useImports({}, {}, { logger });
let editor: ApiClient;
beforeAll(async () => {
  editor = await scene.service.loginAs("editor");
});

/** What the agency's words come to: the answer, the history, the operation and its stream. */
async function everythingTold(): Promise<string[]> {
  const answer = await importEvents(editor);
  const { catalogueId } = answer.body;
  expect(answer.status).toBe(500);
  const accepted = await importEvents(editor, EVERYTHING, { prefer: "respond-async" });
  const path = accepted.headers.get("location") ?? "";
  const stream = await (await editor.stream(`${path}/stream`)).text();
  const operation = await editor.get<{ operation: Job }>(path);
  expect(operation.body.operation.status).toBe("failed");
  return [answer.body, await historyOf(editor, catalogueId), operation.body, stream].map((told) =>
    JSON.stringify(told),
  );
}

test.each(SAID)("nothing secret of an agency is told or logged of %s", async (_, fault) => {
  scene.agency.fail(() => fault);
  const before = lines.length;
  for (const told of await everythingTold()) {
    expect(told).toContain("Test agency");
    expect(told).not.toContain(SECRET);
    expect(told).not.toMatch(/x{201}|\\u0007/);
  }
  const logged = lines.slice(before).join("");
  expect(logged).toContain("Test agency");
  expect(logged).not.toMatch(new RegExp(`${SECRET}|x{201}`));
  scene.agency.fail();
});

test("an event that cannot be taken is told in as few words", async () => {
  const row = { latitude: 95, longitude: 0, magnitude: 3, time: "2020-01-01T00:00:00Z" };
  const id = `token=${SECRET}`;
  scene.agency.catalogue.add(
    { row: { ...row, source_id: id } },
    { row: { ...row, source_id: "x".repeat(250) } },
  );
  const { errors } = await imported(editor);
  expect(errors.map(({ source_id }) => source_id).sort()).toEqual([
    "token [left out]",
    `${"x".repeat(199)}…`,
  ]);
});
