import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const MIGRATIONS = join(import.meta.dirname, "../../infra/postgres/migrations");
/** As sha256sum writes it. */
const RELEASED = join(import.meta.dirname, "../fixtures/migrations.sha256");

test("migrations stay byte for byte as they were released", async () => {
  const released = (await readFile(RELEASED, "utf8")).trimEnd().split("\n");
  const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql")).sort();
  const present = await Promise.all(files.map(lineOf));
  const message = `Databases that have a migration refuse to start with another text of it: take changes back, \
and make a further migration in their place. A new one is listed once its text stands:
    (cd infra/postgres/migrations && sha256sum *.sql) > test/fixtures/migrations.sha256`;
  expect(present, message).toEqual(released);
});

async function lineOf(name: string): Promise<string> {
  const bytes = await readFile(join(MIGRATIONS, name));
  return `${createHash("sha256").update(bytes).digest("hex")}  ${name}`;
}
