import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { circlesOf, folderImports } from "./folder-circles.ts";

const ROOT = join(import.meta.dirname, "../..");

async function circlesIn(files: Readonly<Record<string, string>>) {
  const root = await temporaryDirectory();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return circlesOf(await folderImports(root));
}

test("no folder of the product lies on a circle of imports", async () => {
  const imports = await folderImports(ROOT);
  expect(imports.size).toBeGreaterThan(50);
  expect(circlesOf(imports)).toEqual([]);
});

test("a circle of folders is found though no file is on one", async () => {
  const circles = await circlesIn({
    "infra/a/one.ts": 'import { two } from "../b/two.ts";\nexport const one = two;\n',
    "infra/b/two.ts": "export const two = 2;\n",
    "infra/b/three.ts": 'import type { One } from "#infra/a/type.ts";\nexport type Three = One;\n',
    "infra/a/type.ts": "export type One = 1;\n",
  });
  expect(circles).toContainEqual(["infra/a", "infra/b", "infra/a"]);
});

test("a circle by way of a third folder and a dynamic import is found", async () => {
  const circles = await circlesIn({
    "services/x.ts": 'export const x = () => import("./y/y.ts");\n',
    "services/y/y.ts": 'import { z } from "../z/z.ts";\nexport const y = z;\n',
    "services/z/z.ts": 'import { w } from "../w.ts";\nexport const z = w;\n',
    "services/w.ts": "export const w = 1;\n",
  });
  expect(circles).toContainEqual(["services", "services/y", "services/z", "services"]);
});

test("imports in one direction are no circle", async () => {
  const circles = await circlesIn({
    "services/x.ts": 'import { y } from "./y/y.ts";\nexport const x = y;\n',
    "services/y/y.ts": 'import { a } from "#contracts/a.ts";\nexport const y = a;\n',
    "contracts/a.ts": "export const a = 1;\n",
  });
  expect(circles).toEqual([]);
});
