import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { developmentSecret } from "#infra/kernel/kept-secret.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

test("the development secret is made once and kept with mode 0600", async () => {
  const dataDir = join(await temporaryDirectory(), "data");
  const secret = await developmentSecret(dataDir);
  expect(secret.length).toBeGreaterThanOrEqual(32);
  expect(await developmentSecret(dataDir)).toBe(secret);
  expect((await stat(join(dataDir, "jwt-secret"))).mode & 0o777).toBe(0o600);
});

test("starters at the same moment get the same secret and leave nothing else behind", async () => {
  const dataDir = await temporaryDirectory();
  const secrets = await Promise.all(Array.from({ length: 8 }, () => developmentSecret(dataDir)));
  expect(new Set(secrets).size).toBe(1);
  expect(await readdir(dataDir)).toEqual(["jwt-secret"]);
});

test("a damaged secret is refused, not replaced", async () => {
  const dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, "jwt-secret"), "short\n");
  await expect(developmentSecret(dataDir)).rejects.toThrow("shorter than 32 characters");
  expect(await readFile(join(dataDir, "jwt-secret"), "utf8")).toBe("short\n");
});
