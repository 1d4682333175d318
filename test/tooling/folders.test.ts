import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { circlesOf, doorsOf, fileImports, foldersOf, lowest, TESTS, wrongWays } from "./folders.ts";

async function importsIn(files: Readonly<Record<string, string>>, ofTests = false) {
  const root = await rootOf(files);
  return foldersOf(await fileImports(root, ofTests ? TESTS : undefined));
}

async function rootOf(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await temporaryDirectory();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

test("circles of folders are found by values, types and dynamic imports, ways in one direction are none", async () => {
  // No file of these two lies on a circle.
  const two = {
    "infra/a/one.ts": 'import { two } from "../b/two.ts";\nexport const one = two;\n',
    "infra/b/two.ts": "export const two = 2;\n",
    "infra/b/three.ts": 'import type { One } from "#infra/a/type.ts";\nexport type Three = One;\n',
    "infra/a/type.ts": "export type One = 1;\n",
  };
  expect(circlesOf(await importsIn(two))).toContainEqual(["infra/a", "infra/b", "infra/a"]);
  const { "infra/b/three.ts": _, ...oneWay } = two;
  expect(circlesOf(await importsIn(oneWay))).toEqual([]);
  const three = {
    "services/x/x.tsx": 'export const x = () => import("../y/y.ts");\n',
    "services/y/y.ts": 'import { z } from "../z/z.tsx";\nexport const y = z;\n',
    "services/z/z.tsx": 'import type { X } from "../x/w.ts";\nexport const z: X = 1;\n',
    "services/x/w.ts": "export type X = 1;\n",
  };
  expect(circlesOf(await importsIn(three))).toContainEqual([
    "services/x",
    "services/y",
    "services/z",
    "services/x",
  ]);
});

test("a file above folders may open what lies below it, and another serve that, but none may do both", async () => {
  const files = {
    "services/main.ts": 'import { area } from "./area/area.ts";\nexport const main = area;\n',
    "services/area/area.ts":
      'import type { Tool } from "../tool.ts";\nexport const area: Tool = 1;\n',
    "services/tool.ts": "export type Tool = number;\n",
  };
  const root = await rootOf(files);
  const imports = await fileImports(root);
  expect(circlesOf(lowest(foldersOf(imports)))).toEqual([]);
  expect(circlesOf(imports)).toEqual([]);
  const tool = 'import { area } from "./area/area.ts";\nexport type Tool = typeof area;\n';
  const both = await rootOf({ ...files, "services/tool.ts": tool });
  expect(circlesOf(await fileImports(both))).toContainEqual([
    "services/tool.ts",
    "services/area/area.ts",
    "services/tool.ts",
  ]);
});

test("a door is a file that something outside of its folder and not below it imports, by value or type", async () => {
  const root = await rootOf({
    "services/area/door.ts": 'import { own } from "./own.ts";\nexport const door = own;\n',
    "services/area/own.ts": "export const own = 1;\n",
    "services/area/type.ts": "export type T = 1;\n",
    "services/area/below/low.ts": 'import { own } from "../own.ts";\nexport const low = own;\n',
    "services/other/x.ts":
      'import { door } from "../area/door.ts";\nimport type { T } from "#services/area/type.ts";\nexport const x: T = door;\n',
  });
  const doors = doorsOf(await fileImports(root));
  expect([...doors].map(([folder, files]) => [folder, [...files].toSorted()])).toEqual([
    ["services/area", ["services/area/door.ts", "services/area/type.ts"]],
  ]);
});

test("a folder of the console may import those below it and its own parts alone", async () => {
  const wrongOf = async (from: string, to: string) => {
    const folder = (name: string) => `services/console/${name}`;
    const imports = await importsIn({
      [`${folder(from)}/a.tsx`]: `import type { B } from "#${folder(to)}/b.ts";\nexport type A = B;\n`,
      [`${folder(to)}/b.ts`]: "export type B = 1;\n",
    });
    return wrongWays(imports).map((way) => way.map((name) => name.replace(folder(""), "")));
  };
  for (const [from, to] of [
    ["model", "ui"],
    ["ui", "features/merge"],
    ["plots", "map"],
    ["features/event", "features/merge"],
    ["features/event", "pages"],
    ["pages", "shell"],
    ["ui", "elsewhere"],
  ] as const) {
    expect(await wrongOf(from, to)).toEqual([[from, to]]);
  }
  for (const [from, to] of [
    ["pages", "features/f"],
    ["features/f", "features/f/part"],
    ["features/f/part", "ui"],
  ] as const) {
    expect(await wrongOf(from, to), `${from}, ${to}`).toEqual([]);
  }
});

test("a folder of the tests may import the product, support and its own parts alone", async () => {
  const files = {
    "test/api/events/a.test.ts":
      'import "../merge/b.ts";\nimport "../../support/c.ts";\nimport "../../unit/d.ts";\nimport "#infra/e.ts";\n',
    "test/support/c.ts": 'import "../api/merge/b.ts";\n',
  };
  expect(wrongWays(await importsIn(files, true)).toSorted()).toEqual([
    ["test/api/events", "test/unit"],
    ["test/support", "test/api/merge"],
  ]);
});
