import { execFile } from "node:child_process";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const TSC = join(ROOT, "node_modules/.bin/tsc");

const CONSOLE = join(ROOT, "services/console");

/** The product's code but the console, which knows no events of the log. */
async function copyOfProduct(): Promise<string> {
  const directory = await temporaryDirectory();
  const copied = ["contracts", "infra", "projections", "services", "package.json", "tsconfig.json"];
  for (const name of copied) {
    await cp(join(ROOT, name), join(directory, name), {
      recursive: true,
      filter: (path) => path !== CONSOLE,
    });
  }
  await symlink(join(ROOT, "node_modules"), join(directory, "node_modules"));
  return directory;
}

/** Adds a type of event to a record of `contracts/domain-events`. */
async function addEvent(directory: string, file: string, record: string): Promise<void> {
  const path = join(directory, "contracts/domain-events", file);
  const text = await readFile(path, "utf8");
  const opening = `export const ${record} = {\n`;
  expect(text).toContain(opening);
  await writeFile(
    path,
    text.replace(opening, `${opening}  ForgottenEvent: z.object({ forgotten: z.string() }),\n`),
  );
}

/** The files that do not compile. */
async function filesInError(directory: string): Promise<string[]> {
  const args = ["--noEmit", "--pretty", "false"];
  const { stdout } = await run(TSC, args, { cwd: directory }).catch(
    (failure: { stdout: string }) => failure,
  );
  return [...new Set(stdout.match(/^[^\s(]+\.ts(?=\()/gm))].sort();
}

test("an event that a read model, the feed, the notices or a decision forgets does not compile", async () => {
  const directory = await copyOfProduct();
  await addEvent(directory, "catalogue-events.ts", "catalogueEvents");
  await addEvent(directory, "user-events.ts", "userEvents");
  expect(await filesInError(directory)).toEqual(
    expect.arrayContaining([
      "contracts/notifications/notice.ts",
      "projections/catalogues/catalogue-rows.ts",
      "projections/catalogues/catalogues-projection.ts",
      "projections/rebuild/verify-projection.ts",
      "projections/users/changed-row.ts",
      "services/domain/account/state.ts",
      "services/domain/catalogue/state.ts",
      "services/gateway/routes/audit/summarise.ts",
      "services/publisher/analytics/publish-analytics.ts",
    ]),
  );
});
