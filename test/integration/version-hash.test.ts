import { expect, onTestFinished, test } from "vitest";
import type { VersionRecord } from "#contracts/http/versions.ts";
import { createCatalogue, seismicEvent } from "../api/support/catalogue.ts";
import { createApiClient } from "../support/api-client.ts";
import { createTestDatabase } from "../support/database.ts";
import { withClient } from "../support/database-template.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { sharedService } from "../support/service.ts";
import { startTestService } from "../support/start-test-service.ts";
import { createTemporaryDirectory } from "../support/temporary-directory.ts";
import { cli } from "./cli/use-cli.ts";

const service = sharedService();

const forget = (databaseUrl: string) =>
  withClient(databaseUrl, (client) => client.query("delete from operations.version_hashes"));

test("a version has the same hash after a rebuild, and where its log was restored", async () => {
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor, {
    is_public: true,
    events: [...generateEvents(11, 3_000)],
  });
  const path = `/api/catalogues/${id}`;
  await editor.send("POST", `${path}/events`, { events: [seismicEvent({ region: "地震 é" })] });
  const hashesAt = (url: string) =>
    Promise.all(
      [1, 2].map(async (version) => {
        const client = createApiClient(url);
        const { body } = await client.get<{ version: VersionRecord }>(
          `${path}/versions/${version}`,
        );
        return body.version.sha256;
      }),
    );
  const hashes = await hashesAt(service.url);
  expect(new Set(hashes).size).toBe(2);

  const variables = { DATABASE_URL: service.databaseUrl };
  expect((await cli(variables, "rebuild")).exitCode).toBe(0);
  await forget(service.databaseUrl);
  expect(await hashesAt(service.url)).toEqual(hashes);

  const directory = await createTemporaryDirectory();
  onTestFinished(() => directory.remove());
  const file = `${directory.path}/backup`;
  expect((await cli(variables, "backup", file)).exitCode).toBe(0);
  const empty = await createTestDatabase({ empty: true });
  onTestFinished(empty.drop);
  const other = { DATABASE_URL: empty.url };
  expect((await cli(other, "restore", file)).exitCode).toBe(0);
  const restored = await startTestService({
    ...other,
    JWT_SECRET: "a secret of the restored service, 32 long",
    CREATE_ADMIN_USER: "false",
  });
  onTestFinished(() => restored.stop().then(() => undefined));
  await forget(empty.url);
  expect(await hashesAt(restored.url)).toEqual(hashes);
});
