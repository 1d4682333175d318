import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Node, parseSync, Visitor } from "oxc-parser";

const ROOT = join(import.meta.dirname, "../../..");
const SOURCES = "{contracts,infra,projections,services}/**/*.{ts,js}";

/** A regular expression, and where it stands. */
export type Pattern = { readonly where: string; readonly source: string; readonly flags: string };

/** A file that makes regular expressions of strings. */
export type Maker = { readonly file: string; readonly path: string; readonly count: number };

export type FoundPatterns = { readonly literals: Pattern[]; readonly makers: Maker[] };

/** The regular expressions of the product's source, and the files that construct others. */
export async function findPatterns(): Promise<FoundPatterns> {
  const literals: Pattern[] = [];
  const makers: Maker[] = [];
  for (const file of globSync(SOURCES, { cwd: ROOT })) {
    const path = join(ROOT, file);
    const text = await readFile(path, "utf8");
    let count = 0;
    const made = ({ callee }: { readonly callee: Node }): void => {
      if (callee.type === "Identifier" && callee.name === "RegExp") count += 1;
    };
    const visitor = new Visitor({
      Literal(node) {
        if (!("regex" in node)) return;
        const line = text.slice(0, node.start).split("\n").length;
        const { pattern: source, flags } = node.regex;
        literals.push({ where: `${file}:${line}`, source, flags });
      },
      NewExpression: made,
      CallExpression: made,
    });
    const { program, errors } = parseSync(file, text);
    if (errors.length > 0) throw new Error(`${file} cannot be parsed`);
    visitor.visit(program);
    if (count > 0) makers.push({ file, path, count });
  }
  return { literals, makers };
}
