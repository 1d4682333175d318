import { readFileSync } from "node:fs";
import type { CatalogueName, Check, Question, ReferenceRow } from "./common.ts";

/** What a place begins with that is not in the estimate. */
const OUTSIDE = /^(?:bins|input|series|warnings)[.[]/;

/** The rows of `rows.txt`, which says how they are written. */
export function readRows(): ReferenceRow[] {
  const text = readFileSync(new URL("./rows.txt", import.meta.url), "utf8");
  const rows: { row: number; what: string; checks: Check[] }[] = [];
  for (const line of text.split("\n")) {
    const [, indent = "", words = ""] = /^( *)([^#].*)$/.exec(line) ?? [];
    const checks = rows.at(-1)?.checks ?? [];
    if (indent.length === 4) Object.assign(checks.at(-1)?.expect ?? {}, expectedOf(words));
    else if (indent.length === 2) checks.push({ ask: questionOf(words), expect: {} });
    else if (words !== "") {
      const row = Number.parseInt(words, 10);
      rows.push({ row, what: words.slice(`${row} `.length), checks: [] });
    }
  }
  return rows;
}

function questionOf(words: string): Question {
  const [, catalogues = "", path = "", search = "", body] =
    /^(\S+) ([\w-]+)(?:\?(\S+))?(?: (\{.*))?$/.exec(words) ?? [];
  const query = Object.fromEntries(search.split("&").map((pair) => pair.split("=")));
  const [catalogue, other] = catalogues.split(",") as [CatalogueName, CatalogueName?];
  if (other !== undefined) {
    const numbers = Object.entries(query).map(([name, value]) => [name, Number(value)]);
    return { compare: [catalogue, other], ...Object.fromEntries(numbers) };
  }
  return {
    path,
    catalogue,
    ...(search !== "" && { query }),
    ...(body !== undefined && { body: JSON.parse(body) }),
  };
}

function expectedOf(words: string): Record<string, string> {
  const pairs = words.split(/, ?/).flatMap((pair) => (pair === "" ? [] : [pair.split(" ")]));
  return Object.fromEntries(
    pairs.map(([place = "", value = ""]) => [
      OUTSIDE.test(place) ? place : `estimate.${place}`,
      value,
    ]),
  );
}
