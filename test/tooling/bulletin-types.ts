import { readFile, writeFile } from "node:fs/promises";
import { type Field, QUAKEML_TYPES } from "#contracts/bulletin/quakeml.ts";

/** The table of types in the page on bulletins, which is made of QUAKEML_TYPES. */

const PAGE = new URL("../../contracts/docs/bulletins.md", import.meta.url);
const BEGIN = "<!-- types: made by test/tooling/bulletin-types.ts -->\n";
const END = "<!-- end of types -->\n";

/** A member as the page shows it: `name! kind unit`, with `*` behind what is a list. */
function describeMember(name: string, field: Field): string {
  const mark = field.required ? "!" : field.many ? "*" : "";
  const { unit, maxLength, to, type, values } = field;
  const kind =
    type ?? (to === undefined ? field.kind : `→ ${to}`) + (maxLength ? ` ≤ ${maxLength}` : "");
  const details = values === undefined ? kind : values.join(", ");
  return `\`${name}\`${mark} (${details}${unit === undefined ? "" : `, ${unit}`})`;
}

function table(): string {
  const rows = Object.entries(QUAKEML_TYPES).map(([name, members]) => {
    const described = Object.entries(members).map(([member, field]) =>
      describeMember(member, field),
    );
    return `| ${name} | ${described.join("; ")} |\n`;
  });
  return `| Type | Members |\n|---|---|\n${rows.join("")}`;
}

/** The page as it is, and as the table says it should be. */
export async function comparePage(): Promise<{ readonly page: string; readonly expected: string }> {
  const page = await readFile(PAGE, "utf8");
  const begin = page.indexOf(BEGIN) + BEGIN.length;
  return { page, expected: page.slice(0, begin) + table() + page.slice(page.indexOf(END)) };
}

if (import.meta.main) await writeFile(PAGE, (await comparePage()).expected);
