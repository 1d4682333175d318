import { readdirSync } from "node:fs";
import { extname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { OWN_NAMESPACE } from "#contracts/bulletin/own-members.ts";
import { BulletinBody } from "#contracts/bulletin/schema.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { rowOfBulletin } from "#infra/formats/bulletin/row.ts";
import { detectFormat } from "#infra/formats/files/file-reader.ts";
import { createIsfReader } from "#infra/formats/isf/reader.ts";
import { createHypoddReader } from "#infra/formats/lines/hypodd.ts";
import { createNdkReader } from "#infra/formats/lines/ndk.ts";
import { createNonlinlocReader } from "#infra/formats/nonlinloc/reader.ts";
import { createNordicReader } from "#infra/formats/nordic/reader.ts";
import { createScmlReader } from "#infra/formats/scml/reader.ts";
import { documentOf, eventOf, originOf } from "../../support/formats/quakeml-documents.ts";
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
import { runs } from "../../support/runs.ts";

type Pieces = Iterable<string>;

type Reader = (text: Pieces, extension: string) => Told;

/** How the files of each folder are read in pieces: here those of lines, and of these each event is told or kept. */
const LINES: Readonly<Record<string, Reader>> = {
  ndk: (text) => toldBy(createNdkReader, text),
  nonlinloc: (text) => toldBy(createNonlinlocReader, text),
  hypodd: (text) => toldBy(createHypoddReader, text),
  nordic: (text) => toldBy(createNordicReader, text),
};
const READERS: Readonly<Record<string, Reader>> = {
  delimited: (text, extension) => readTable(text, { extension }),
  json: (text) => readJson(text),
  quakeml: (text) => readQuakeml(text, { bulletins: true }),
  scml: (text) => toldBy(createScmlReader, text),
  isf: (text) => toldBy(createIsfReader, text),
  ...LINES,
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

/** A row as its values below the first of the headers, where it has these alone, and after them what else it has. */
function rowOf(headers: readonly string[], row: JsonObject): unknown {
  const own = headers.filter((name) => Object.hasOwn(row, name));
  if (own.length === 0 || own.some((name, i) => name !== headers[i])) return row;
  const others = Object.entries(row).filter(([name]) => !headers.includes(name));
  const values = own.map((name) => row[name]);
  return others.length === 0 ? values : [...values, Object.fromEntries(others)];
}

/** Of several events first what all of them have, then what each has beside it. */
function apart(events: readonly object[]): unknown {
  const [first = {}, ...others] = events;
  if (others.length === 0) return events;
  const text = (event: object, name: string) => JSON.stringify((event as JsonObject)[name]);
  const isShared = (name: string) => others.every((one) => text(one, name) === text(first, name));
  const pick = (event: object, shared: boolean) =>
    Object.fromEntries(Object.entries(event).filter(([name]) => isShared(name) === shared));
  return { all: pick(first, true), each: events.map((event) => pick(event, false)) };
}

const LOCAL = "smi:local.catalogue/of/";

/**
 * A bulletin without what all of its kind say: a quantity of a value alone is the value, one with an
 * uncertainty is both, a waveform is its codes ("-" where there is none), what is kept of the service's own
 * namespace names none, and `~` is the beginning of ids that the service gives.
 */
function shortOf(value: unknown): unknown {
  if (typeof value === "string") return value.replace(LOCAL, "~");
  if (Array.isArray(value)) return value.map(shortOf);
  if (typeof value !== "object" || value === null) return value;
  const { ns, ...rest } = value as JsonObject;
  const own = ns === OWN_NAMESPACE ? rest : (value as JsonObject);
  const values = Object.values(own);
  const names = Object.keys(own).join();
  if (names === "value") return values[0];
  if (names === "value,uncertainty") return values;
  if (names === "name,text") return values.join("=");
  if (/^networkCode,stationCode(,locationCode)?(,channelCode)?$/.test(names)) {
    const { networkCode, stationCode, locationCode = "-", channelCode = "-" } = own;
    return [networkCode, stationCode, locationCode, channelCode].join(".");
  }
  return Object.fromEntries(Object.entries(own).map(([name, inner]) => [name, shortOf(inner)]));
}

const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && !value.length);

/**
 * What is expected of a file: of tables rows and the events that they make, of bulletins no rows: these are
 * of the bulletin, as QuakeML's shows.
 */
function expectedOf(family: string, text: string, extension: string): string {
  const read = readFile(text, { extension, bulletins: true });
  const { format, isCatalogue, lines, errors, warnings, faults, headers, rows, bulletins } = read;
  const elements = Object.entries(read.elements ?? {}).map(([name, counts]) => [
    name,
    counts.kept === counts.read && counts.dropped === 0 ? counts.read : counts,
  ]);
  const hasBulletins = bulletins.length > 0;
  const told = {
    ...{ format, ...(!isCatalogue && { isCatalogue }) },
    ...{ lines, errors, warnings, faults },
    ...(hasBulletins
      ? { elements: Object.fromEntries(elements) }
      : { headers, rows: rows.map((row) => rowOf(headers ?? [], row)) }),
    ...(["quakeml", "delimited"].includes(family) && { events: apart(read.events) }),
    bulletins: shortOf(bulletins),
  };
  return `${laidOut(Object.fromEntries(Object.entries(told).filter(([, value]) => !isEmpty(value))))}\n`;
}

// A file that is added has an empty file beside it, which `vitest -u` fills: look at what it wrote.
test.each(Object.keys(READERS))("files of %s are read as is said beside them", async (family) => {
  for (const name of filesOf(family)) {
    const [text, extension] = [sample(`${family}/${name}`), extname(name).slice(1)];
    const path = join(FOLDER, family, name + EXPECTED);
    await expect(expectedOf(family, text, extension)).toMatchFileSnapshot(path);
    const { bulletins, rows } = readFile(text, { extension, bulletins: true });
    for (const one of bulletins) expect(BulletinBody.parse(one), name).toEqual(one);
    if (bulletins.length > 0 && family !== "quakeml") {
      expect(rows, name).toEqual(bulletins.map((one) => rowOfBulletin(one, () => undefined)));
    }
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

/** Texts that mean something to the readers of a family. */
const TOKENS: Readonly<Record<string, readonly string[]>> = {
  delimited: [
    ...['"', '""', ",", "\t", ";", "|", " ", "\r", "\n", "\r\n", "#", "\0", "'", "[", "{"],
    ...["-9", "nan", "\ud800", "\ufeff"],
  ],
  json: [
    ...'{}[],:"\\\n\u001e\ufeff\0',
    ...["\ud800", "NaN", "1e999", '"events":[', '"features":[', '{"type":"Feature",'],
    ...['"__proto__":{},', '"coordinates":', "//", "[".repeat(70)],
  ],
  quakeml: [
    ..."<>&\0\ud800'\"{",
    ...["]]>", "<!--", "<![CDATA[", "<!DOCTYPE q [", "<?xml ", "</event>", "<event>", "&#x41;"],
    ...["xmlns:ec=''", "1e999"],
  ],
};
const LINE_TOKENS = ["\n", "****", "NaN", "-1", " ", "#", "999999999999", "1e400", "ABCDEFGHIJKL"];
/** Documents that no agency's file has. */
const MORE_SEEDS: Readonly<Record<string, readonly string[]>> = {
  quakeml: [
    documentOf(
      eventOf(
        `${originOf()}<ec:attributes xmlns:ec="urn:earthquake-catalogue:1.0">{"extra":{"a":[1]}}</ec:attributes>`,
      ),
    ),
    documentOf(eventOf("<preferredOriginID>smi:x.y/or1</preferredOriginID>"), originOf()),
  ],
};

const share = fc.double({ min: 0, max: 1, noNaN: true });
const anyChange = fc.record({
  kind: fc.constantFrom("flip", "cut", "leave", "double", "put", "graft"),
  ...{ at: share, to: share, code: fc.nat(0xffff) },
});
type Change = typeof anyChange extends fc.Arbitrary<infer T> ? T : never;

/** The text with a part flipped, left out or doubled, or a token or a part of another text put in. */
function changedBy(seeds: readonly string[], tokens: readonly string[]) {
  return (text: string, { kind, at, to, code }: Change): string => {
    const place = Math.floor(at * text.length);
    const [head, tail] = [text.slice(0, place), text.slice(place)];
    const other = seeds[code % seeds.length] ?? "";
    if (kind === "flip") return head + String.fromCharCode(code) + tail.slice(1);
    if (kind === "cut") return head + tail.slice(code % 60);
    if (kind === "leave") return head + text.slice(Math.floor(to * text.length));
    if (kind === "double") return head + tail.slice(0, code % 60) + tail;
    if (kind === "put") return head + tokens[code % tokens.length] + tail.slice(code % 3);
    return head + other.slice(Math.floor(to * other.length)).slice(0, code % 400) + tail;
  };
}

const FREE_HEADERS = ["delimited", "json"];

function expectWellFormed(family: string, told: Told, text: string): void {
  const { rows, lines, errors, warnings, headers, bulletins } = told;
  const places = [...errors, ...warnings].map((note) => {
    const [, line = "", message] = /^(\d+): (.+)$/s.exec(note) ?? [];
    expect(message, note).toBeDefined();
    return Number(line);
  });
  const last = text.split(/\r\n|\r|\n/).length + 1;
  expect([...lines, ...places].filter((line) => !(line >= 1 && line <= last))).toEqual([]);
  expect(lines).toHaveLength(rows.length);
  expect(new Set(headers).size).toBe(headers.length);
  const known = new Set([...headers, "extra", "magnitude"]);
  for (const row of rows) {
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
    // JSON does not tell the zeros apart.
    const plain = Object.entries(row).map(([name, value]) => [name, value === 0 ? 0 : value]);
    const again = JSON.parse(JSON.stringify(row));
    expect(again).toEqual(Object.fromEntries(plain.filter(([, value]) => value !== undefined)));
    if (FREE_HEADERS.includes(family)) {
      expect(Object.keys(row).filter((name) => !known.has(name))).toEqual([]);
    } else {
      expect([typeof row["time"], Number.isFinite(row["latitude"])]).toEqual(["string", true]);
      expect(Number.isFinite(row["longitude"])).toBe(true);
    }
  }
  expect(JSON.stringify(rows)).not.toContain('"__proto__":');
  for (const bulletin of bulletins.filter((one) => one !== undefined)) {
    expect(BulletinBody.parse(bulletin)).toStrictEqual(bulletin);
    expect(bulletin.origin).not.toHaveLength(0);
  }
  if (FREE_HEADERS.includes(family)) expect(lines).toEqual([...lines].sort((a, b) => a - b));
  if (family === "quakeml") expect(rows.length + errors.length).toBeGreaterThan(0);
}

test.each(Object.keys(READERS))(
  "files of %s are read well-formed whatever is done to them, and the same wherever they are cut",
  (family) => {
    const tokens = TOKENS[family] ?? LINE_TOKENS;
    const seeds = [
      ...filesOf(family).map((name) => sample(`${family}/${name}`)),
      ...(MORE_SEEDS[family] ?? []),
    ];
    const changes = fc.array(anyChange, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.constantFrom(...seeds), changes, share, (seed, given, cut) => {
        const text = given.reduce(changedBy(seeds, tokens), seed);
        const read = (cuts: readonly number[]) => READERS[family]?.(cutAt(text, cuts), "") as Told;
        if (family in LINES && detectFormat(text).family !== family) return;
        const told = read([]);
        expectWellFormed(family, told, text);
        expect(read([Math.floor(cut * text.length)])).toEqual(told);
        if (!(family in LINES)) return;
        const { read: events = 0, kept = 0, dropped = 0 } = told.elements?.event ?? {};
        expect([kept, kept + dropped, dropped]).toEqual([
          told.rows.length,
          events,
          told.errors.length,
        ]);
      }),
      { numRuns: runs(2_000, 1 / 20), seed: 20_240_101 },
    );
  },
);
