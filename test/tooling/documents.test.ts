import { globSync } from "node:fs";
import { access, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { comparePage } from "./bulletin-types.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const DOCUMENTS = globSync("{*.md,{contracts,infra,projections,services,test}/**/*.md}", {
  cwd: ROOT,
}).sort();

async function read(path: string): Promise<string> {
  return readFile(join(ROOT, path), "utf8");
}

const Package = z.object({
  scripts: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
});

const PATH =
  /^(?:(?:contracts|infra|projections|services|test)\/[\w./-]+|[\w-][\w./-]*\.(?:ts|md|json|sql)|[\w-]+(?:\/[\w-]+)*\/)$/;
/** Decisions are named by their numbers. */
const DECISION = /^infra\/decisions\/\d{4}$/;

/** Paths in code spans: names of files, folders with a slash behind them, and what begins at the top. */
function pathsIn(text: string): string[] {
  const spans = [...text.matchAll(/`([^`\s]+)`/g)].map(([, span]) => span ?? "");
  return spans.filter((span) => PATH.test(span) && !DECISION.test(span));
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

describe("documents", () => {
  test.each(DOCUMENTS)("%s names only files and folders that exist", async (document) => {
    const folder = dirname(document);
    for (const path of pathsIn(await read(document))) {
      const found = (await exists(join(ROOT, path))) || (await exists(join(ROOT, folder, path)));
      expect(found, path).toBe(true);
    }
  });

  test.each(DOCUMENTS)("%s links only to documents and sections that exist", async (document) => {
    const text = await read(document);
    for (const [, target = ""] of text.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [path = "", anchor] = target.split("#");
      const linked = path === "" ? document : join(dirname(document), path);
      expect(await exists(join(ROOT, linked)), target).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(await read(linked)), target).toContain(anchor);
    }
  });

  test.each(DOCUMENTS)("%s names only npm scripts that exist", async (document) => {
    const { scripts } = Package.parse(JSON.parse(await read("package.json")));
    for (const [, script = ""] of (await read(document)).matchAll(/npm run ([\w:-]+)/g)) {
      expect(Object.keys(scripts)).toContain(script);
    }
  });

  test("the page on bulletins shows the table of types", async () => {
    const { page, expected } = await comparePage();
    expect(page).toBe(expected);
  });

  test("decisions and pages that documents and code cite exist", async () => {
    const cited = /(?:infra\/decisions|contracts\/docs)\/[\w-]+/g;
    const there = globSync("{infra/decisions,contracts/docs}/*.md", { cwd: ROOT });
    const sources = globSync("{contracts,infra,projections,services,test}/**/*.{ts,tsx}", {
      cwd: ROOT,
    });
    for (const path of [...DOCUMENTS, ...sources]) {
      for (const [name] of (await read(path)).matchAll(cited)) {
        const isThere = there.some((page) => page.startsWith(name));
        expect(isThere, `${path}: ${name}`).toBe(true);
      }
    }
  });
});

/** As GitHub makes them of headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe("the README", () => {
  test("the README has at most 150 lines", async () => {
    expect((await read("README.md")).trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  });

  test("the README follows one request through at most six files, all of which exist", async () => {
    const rows = [...(await read("README.md")).matchAll(/^\| \d \| `([^`]+)` \|/gm)];
    const files = rows.map(([, file]) => file ?? "");
    expect(files.length).toBeGreaterThan(3);
    expect(files.length).toBeLessThanOrEqual(6);
    for (const file of files) await access(join(ROOT, file));
  });

  test("the README says of every dependency why it is there", async () => {
    const readme = await read("README.md");
    const { dependencies } = Package.parse(JSON.parse(await read("package.json")));
    for (const name of Object.keys(dependencies)) expect(readme).toContain(`\`${name}\``);
  });
});

describe.each(["infra", "projections", "services", "test"])("%s/README.md", (folder) => {
  test("has at most 30 lines", async () => {
    const lines = (await read(`${folder}/README.md`)).trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(30);
  });
});
