import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { circlesOf, folderImports, wrongWays } from "./folder-circles.ts";

const ROOT = join(import.meta.dirname, "../..");

const circlesIn = async (files: Readonly<Record<string, string>>) =>
  circlesOf(await importsIn(files));

async function importsIn(files: Readonly<Record<string, string>>) {
  const root = await temporaryDirectory();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return folderImports(root);
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

test("a circle by a component's types is found", async () => {
  const circles = await circlesIn({
    "services/x/x.tsx": 'import type { Y } from "../y/y.tsx";\nexport type X = Y;\n',
    "services/y/y.tsx": 'import type { X } from "../x/x.tsx";\nexport type Y = X[];\n',
  });
  expect(circles).toContainEqual(["services/x", "services/y", "services/x"]);
});

test("no folder of the console imports one that does not lie below it", async () => {
  expect(wrongWays(await folderImports(ROOT))).toEqual([]);
});

test.each([
  ["model", "ui"],
  ["ui", "features/merge"],
  ["plots", "map"],
  ["features/event", "features/merge"],
  ["features/event", "pages"],
  ["pages", "shell"],
  ["ui", "elsewhere"],
])("the console's folder %s may not import %s", async (from, to) => {
  const folder = (name: string) => `services/console/${name}`;
  const imports = await importsIn({
    [`${folder(from)}/a.tsx`]: `import type { B } from "#${folder(to)}/b.ts";\nexport type A = B;\n`,
    [`${folder(to)}/b.ts`]: "export type B = 1;\n",
  });
  expect(wrongWays(imports)).toEqual([[folder(from), folder(to)]]);
});

test("a page of the console may import features, and each of these its own parts", async () => {
  const imports = await importsIn({
    "services/console/main.tsx": 'import { P } from "./pages/p.tsx";\nexport const m = P;\n',
    "services/console/pages/p.tsx":
      'import { F } from "../features/f/f.tsx";\nexport const P = F;\n',
    "services/console/features/f/f.tsx": 'import { G } from "./part/g.ts";\nexport const F = G;\n',
    "services/console/features/f/part/g.ts":
      'import { U } from "../../../ui/u.ts";\nexport const G = U;\n',
    "services/console/ui/u.ts": "export const U = 1;\n",
  });
  expect(wrongWays(imports)).toEqual([]);
});

test("imports in one direction are no circle", async () => {
  const circles = await circlesIn({
    "services/x.ts": 'import { y } from "./y/y.ts";\nexport const x = y;\n',
    "services/y/y.ts": 'import { a } from "#contracts/a.ts";\nexport const y = a;\n',
    "contracts/a.ts": "export const a = 1;\n",
  });
  expect(circles).toEqual([]);
});
