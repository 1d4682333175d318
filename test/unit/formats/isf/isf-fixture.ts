import { readFileSync } from "node:fs";
import type { Bulletin, Foreign } from "#contracts/bulletin/bulletin.ts";
import { OWN_NAMESPACE } from "#infra/formats/quakeml/shared/event-ids.ts";
import { type ReadFile, readFile } from "../read-file.ts";

const FOLDER = new URL("../../../fixtures/formats/isf/", import.meta.url);

/** `first` is in the columns of ISF 1.0 with phase information, `extended` in those of 2.1. */
export type FixtureName = "first" | "extended";

export function fixtureText(name: FixtureName): string {
  return readFileSync(new URL(`${name}.isf`, FOLDER), "utf8");
}

export function readFixture(name: FixtureName): ReadFile {
  return readFile(fixtureText(name), { extension: "csv" });
}

export function onlyBulletin({ bulletins, errors }: ReadFile): Bulletin {
  const [bulletin] = bulletins;
  if (bulletin === undefined) throw new Error(`no bulletin: ${errors.join("; ")}`);
  return bulletin;
}

/** Own foreign elements by name. */
export function own(
  object: { readonly foreign?: readonly Foreign[] } | undefined,
): Record<string, string> {
  const elements = (object?.foreign ?? []).filter(({ ns }) => ns === OWN_NAMESPACE);
  return Object.fromEntries(elements.map(({ name, text = "" }) => [name, text]));
}
