import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const source = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds on the page: each violation as its rule and the elements. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(await source);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { readonly axe: typeof import("axe-core") };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  });
}
