import { readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { expect, test } from "vitest";
import { BulletinBody } from "#contracts/bulletin/schema.ts";
import { createIsfReader } from "#infra/formats/isf/reader.ts";
import { createHypoddReader } from "#infra/formats/lines/hypodd.ts";
import { createNdkReader } from "#infra/formats/lines/ndk.ts";
import { createNonlinlocReader } from "#infra/formats/nonlinloc/reader.ts";
import { createNordicReader } from "#infra/formats/nordic/reader.ts";
import { createScmlReader } from "#infra/formats/scml/reader.ts";
import {
  cutAt,
  readFile,
  readJson,
  readQuakeml,
  readTable,
  type Told,
  toldBy,
} from "../../support/formats/readers.ts";
import { sample } from "../../support/formats/sample.ts";

type Pieces = Iterable<string>;

/** How the files of each folder are read in pieces. */
const READERS: Readonly<Record<string, (text: Pieces, extension: string) => Told>> = {
  delimited: (text, extension) => readTable(text, { extension }),
  json: (text) => readJson(text),
  quakeml: (text) => readQuakeml(text, { bulletins: true }),
  scml: (text) => toldBy(createScmlReader, text),
  isf: (text) => toldBy(createIsfReader, text),
  ndk: (text) => toldBy(createNdkReader, text),
  nonlinloc: (text) => toldBy(createNonlinlocReader, text),
  hypodd: (text) => toldBy(createHypoddReader, text),
  nordic: (text) => toldBy(createNordicReader, text),
};

const EXPECTED = ".expected.json";
const FOLDER = join(import.meta.dirname, "../../fixtures/formats");
const filesOf = (family: string) =>
  readdirSync(join(FOLDER, family))
    .filter((name) => name.endsWith(EXPECTED))
    .map((name) => name.slice(0, -EXPECTED.length));

const WIDTH = 160;

/** JSON in lines of that width, as far as single values allow. */
function laidOut(value: unknown, indent = ""): string {
  const whole = JSON.stringify(value) ?? "null";
  if (typeof value !== "object" || value === null) return whole;
  if (indent.length + whole.length <= WIDTH) return whole;
  const inner = `${indent} `;
  const parts = Array.isArray(value)
    ? value.map((item) => laidOut(item, inner))
    : Object.entries(value).map(([name, item]) => `"${name}": ${laidOut(item, inner)}`);
  const lines: string[] = [];
  for (const part of parts) {
    const joined = `${lines.at(-1)}, ${part}`;
    const fits = !joined.includes("\n") && inner.length + joined.length <= WIDTH;
    if (lines.length > 0 && fits) lines.splice(-1, 1, joined);
    else lines.push(part);
  }
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${lines.map((line) => inner + line).join(",\n")}\n${indent}${close}`;
}

/** What is expected of a file: of tables rows and the events that they make, of bulletins no rows. */
function expectedOf(family: string, text: string, extension: string): string {
  const read = readFile(text, { extension, bulletins: true });
  const { format, isCatalogue, elements, lines, errors, warnings, faults } = read;
  const { headers, rows, events, bulletins } = read;
  const told = { format, isCatalogue, lines, errors, warnings, faults };
  if (bulletins.length > 0) return laidOut({ ...told, elements, events, bulletins });
  return laidOut({ ...told, headers, rows, ...(family === "delimited" && { events }) });
}

// A file that is added has an empty file beside it, which `vitest -u` fills: look at what it wrote.
test.each(Object.keys(READERS))("files of %s are read as is said beside them", async (family) => {
  for (const name of filesOf(family)) {
    const [text, extension] = [sample(`${family}/${name}`), extname(name).slice(1)];
    const path = join(FOLDER, family, name + EXPECTED);
    await expect(expectedOf(family, text, extension)).toMatchFileSnapshot(path);
    const { bulletins } = readFile(text, { extension, bulletins: true });
    for (const one of bulletins) expect(BulletinBody.parse(one), name).toEqual(one);
    if (family !== "delimited") {
      expect(readFile(text, { extension: "csv" }).rows, name).toEqual(readFile(text).rows);
    }
  }
});

test.each(Object.keys(READERS))("files of %s are read the same wherever they are cut", (family) => {
  for (const name of filesOf(family)) {
    const [text, extension] = [sample(`${family}/${name}`), extname(name).slice(1)];
    const read = (cuts: readonly number[]) =>
      READERS[family]?.(cutAt(text, cuts), extension) as Told;
    const whole = read([]);
    const step = Math.ceil(text.length / 12);
    for (let at = 1; at < text.length; at += step)
      expect(read([at]), `${name} ${at}`).toEqual(whole);
    for (const size of [1, 13]) {
      const cuts = Array.from({ length: Math.floor(text.length / size) }, (_, i) => i * size);
      expect(read(cuts), `${name} in pieces of ${size}`).toEqual(whole);
    }
  }
});
