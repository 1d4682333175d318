import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
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

/** The lock file names no registry, and has the hash of every package and the packages of every platform. */
export async function lockFileProblems(root: string): Promise<string[]> {
  const text = await readFile(join(root, "package-lock.json"), "utf8");
  const { "": project, ...packages } = LockFile.parse(JSON.parse(text)).packages;
  const entries = Object.entries(packages);
  return [
    ...(project ? [] : ["the project is not among its packages"]),
    ...Object.entries({ ...packages, ...(project && { "": project }) }).flatMap(
      ([parent, { optionalDependencies = {} }]) =>
        Object.keys(optionalDependencies)
          .filter((name) => !packages[`node_modules/${name}`])
          .filter((name) => !packages[`${parent}/node_modules/${name}`])
          .map((name) => `without ${name} npm ci refuses it on other platforms`),
    ),
    ...entries.filter(([, { resolved }]) => resolved).map(([path]) => `${path} names a registry`),
    ...entries.filter(([, { integrity }]) => !integrity).map(([path]) => `${path} has no hash`),
  ];
}

/** Migrations stay byte for byte as they were released, and each is listed. */
export async function migrationProblems(root: string): Promise<string[]> {
  const folder = join(root, "infra/postgres/migrations");
  // As sha256sum writes it.
  const list = await readFile(join(root, "test/fixtures/migrations.sha256"), "utf8");
  const released = list.trimEnd().split("\n");
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const present = await Promise.all(
    files.map(async (name) => {
      const bytes = await readFile(join(folder, name));
      return `${createHash("sha256").update(bytes).digest("hex")}  ${name}`;
    }),
  );
  const others = [
    ...present.filter((line) => !released.includes(line)),
    ...released.filter((line) => !present.includes(line)),
  ].map((line) => line.split("  ")[1] ?? line);
  return [...new Set(others)].map(
    (
      name,
    ) => `${name} differs. Databases that have a migration refuse to start with another text of it: take \
changes back, and make a further migration in their place. A new one is listed once its text stands:
    (cd infra/postgres/migrations && sha256sum *.sql) > test/fixtures/migrations.sha256`,
  );
}
