import { access, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const ROOT = new URL("../../", import.meta.url);

async function read(path: string): Promise<string> {
  return readFile(new URL(path, ROOT), "utf8");
}

const Package = z.object({
  scripts: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
});

describe("the README", () => {
  test("follows one request through at most six files, all of which exist", async () => {
    const rows = [...(await read("README.md")).matchAll(/^\| \d \| `([^`]+)` \|/gm)];
    const files = rows.map(([, file]) => file ?? "");
    expect(files.length).toBeGreaterThan(3);
    expect(files.length).toBeLessThanOrEqual(6);
    for (const file of files) await access(new URL(file, ROOT));
  });

  test("names only npm scripts that exist", async () => {
    const { scripts } = Package.parse(JSON.parse(await read("package.json")));
    const named = [...(await read("README.md")).matchAll(/npm run ([\w:-]+)/g)];
    expect(named.length).toBeGreaterThan(0);
    for (const [, script = ""] of named) expect(Object.keys(scripts)).toContain(script);
  });

  test("says of every dependency why it is there", async () => {
    const readme = await read("README.md");
    const { dependencies } = Package.parse(JSON.parse(await read("package.json")));
    for (const name of Object.keys(dependencies)) expect(readme).toContain(`\`${name}\``);
  });
});
