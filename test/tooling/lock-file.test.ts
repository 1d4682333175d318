import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";

const LockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});

async function lockedPackages(): Promise<z.infer<typeof LockFile>["packages"]> {
  const path = join(import.meta.dirname, "../../package-lock.json");
  return LockFile.parse(JSON.parse(await readFile(path, "utf8"))).packages;
}

test("the lock file holds the packages of every platform, without which npm ci refuses it", async () => {
  const packages = await lockedPackages();
  const missing = Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${parent}/node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});

test("the lock file names no registry and has the hash of every package", async () => {
  const { "": project, ...packages } = await lockedPackages();
  expect(project).toBeDefined();
  const entries = Object.entries(packages);
  expect(entries.filter(([, { resolved }]) => resolved).map(([path]) => path)).toEqual([]);
  expect(entries.filter(([, { integrity }]) => !integrity).map(([path]) => path)).toEqual([]);
});
