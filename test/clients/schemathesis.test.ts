import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import { sessionToken } from "../support/api-client.ts";
import { hasPython, spawnPython } from "../support/clients/python.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { ADMIN } from "../support/start-test-service.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { awkwardEvents } from "./support/events.ts";

const SECONDS = 60;
const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_schema_conformance",
];

const service = await useReachableService();
let catalogue = "";
let event = "";
let secret = "";

beforeAll(async () => {
  if (!hasPython) return;
  const admin = await service.loginAs("admin");
  const form = { events: awkwardEvents(20), is_public: true };
  ({ id: catalogue } = await createCatalogue(admin, form));
  const { body } = await admin.get<{ events: { id: string }[] }>(
    `/api/catalogues/${catalogue}/events`,
  );
  event = body.events[0]?.id ?? "";
  const share = await admin.send<{ share: { url: string } }>(
    "POST",
    `/api/catalogues/${catalogue}/shares`,
    {},
  );
  secret = new URL(share.body.share.url).pathname.split("/").at(-1) ?? "";
});

test.skipIf(!hasPython)(
  "schemathesis finds no fault and no answer outside the document in what can be read",
  { timeout: 240_000 },
  async () => {
    const directory = await temporaryDirectory();
    // What exists, so that most requests find something.
    const known = { id: catalogue, eventId: event, token: secret, version: 1 };
    const parameters = Object.entries(known).map(
      ([name, value]) => `"path.${name}" = ${JSON.stringify(value)}`,
    );
    const config = join(directory, "schemathesis.toml");
    await writeFile(config, `[parameters]\n${parameters.join("\n")}\n`);
    const report = join(directory, "report.json");
    const args = [
      ...["--config-file", config, "run", `${service.url}/api/openapi.json`],
      // Feeds have no end.
      ...["--exclude-path-regex", "/feed(/websocket)?$"],
      ...["--include-method", "GET", "--seed", "1", "--max-time", String(SECONDS)],
      ...["--phases", "examples,coverage,fuzzing", "--checks", CHECKS.join(",")],
      ...["-H", `Authorization: Bearer ${await sessionToken(service.url, ADMIN)}`],
      ...["--report", "json", "--report-json-path", report, "--no-shrink"],
      ...["--suppress-health-check", "all", "--request-timeout", "20"],
      ...["--continue-on-failure", "--warnings", "off"],
    ];
    const { output } = spawnPython("st", args, { cwd: directory });
    const { stdout, failed } = await output.then(
      (said) => ({ ...said, failed: false }),
      (error: { stdout: string }) => ({ stdout: error.stdout, failed: true }),
    );
    expect(failed ? stdout : "").toBe("");
  },
);
