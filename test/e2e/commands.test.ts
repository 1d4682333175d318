import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { signIn } from "../support/api-client.ts";
import { preparedDataDir } from "../support/prepared-data-dir.ts";
import { startServiceProcess } from "../support/service-process.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const MAIN = fileURLToPath(new URL("../../services/cli/main.ts", import.meta.url));
const ADMIN = { email: "operator@example.org", password: "only for these tests" };

const execute = promisify(execFile);

type Outcome = { readonly code: number; readonly stdout: string; readonly stderr: string };

async function command(dataDir: string, ...args: string[]): Promise<Outcome> {
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], DATA_DIR: dataDir };
  try {
    const { stdout, stderr } = await execute(process.execPath, [MAIN, ...args], { env });
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as Outcome;
  }
}

async function startWithCatalogue(dataDir: string) {
  const service = await startServiceProcess({
    DATA_DIR: dataDir,
    CREATE_ADMIN_USER: "true",
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  });
  onTestFinished(async () => {
    await service.stop();
  });
  const admin = await signIn(service.url, ADMIN);
  const event = { time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2, magnitude: 3 };
  const created = { name: "commands", events: [event] };
  const { body } = await admin.send<{ id: string }>("POST", "/api/catalogues", created);
  return { service, admin, id: body.id };
}

test("commands work on the embedded database while the service runs, and when it does not", async () => {
  const dataDir = await preparedDataDir();
  const { service, admin, id } = await startWithCatalogue(dataDir);
  const beside = await command(dataDir, "log", "--catalogue", id);
  expect(beside.stdout.trim().split("\n")).toHaveLength(4);
  expect(beside).toMatchObject({ code: 0, stderr: "" });
  const rebuilt = await command(dataDir, "rebuild", "catalogues");
  expect(rebuilt.stdout).toContain("The read model of catalogues was rebuilt");
  expect((await admin.get(`/api/catalogues/${id}/events`)).body).toMatchObject({
    events: [{ magnitude: 3 }],
  });
  await service.stop();
  const alone = await command(dataDir, "log", "--catalogue", id);
  expect(alone).toEqual(beside);
  expect(await command(dataDir, "verify")).toMatchObject({ code: 0 });
});

test("what is wrong is said in a sentence, with an exit code of its own for misuse", async () => {
  const dataDir = await temporaryDirectory();
  expect(await command(dataDir, "log")).toMatchObject({
    code: 1,
    stderr: `There is no database in DATA_DIR: ${dataDir}\n`,
  });
  const misused = await command(dataDir, "verify", "--fast");
  expect(misused.code).toBe(2);
  expect(misused.stderr).toContain("--fast");
  expect(misused.stderr).toContain("Usage: npm run verify [-- <projection>]");
});
