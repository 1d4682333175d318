import fc from "fast-check";
import { expect, test } from "vitest";
import { ANSWERED_FIELDS, isTextField } from "#infra/formats/json/writer.ts";
import type { TextRow } from "#infra/postgres/copy/copied-rows.ts";
import { toExportRow } from "#projections/read/copied-rows.ts";
import { createEventWriter, type WrittenEvents } from "#projections/read/pages.ts";
import { runs } from "../../support/runs.ts";

const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** As PostgreSQL writes a line of COPY (manual, COPY, "Text Format"). */
function lineOf(row: TextRow): Buffer {
  const fields = row.map((field) =>
    field === null ? "\\N" : Array.from(field, (c) => ESCAPES[c] ?? c).join(""),
  );
  return Buffer.from(`${fields.join("\t")}\n`);
}

const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer().map(String),
);
const plainTexts = fc.constantFrom("Kaikōura", "reviewed", "地震", "5 km NW of Tōkyō", "");
const texts = fc.oneof(
  plainTexts,
  fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0")),
  fc.constantFrom('"', "\\", "\\N", "\u0001", "\t\n", "\u2028"),
);
const structures = fc.oneof(
  fc.constant('{"depth_km": 12.5, "note": "plain"}'),
  fc.jsonValue().map((value) => JSON.stringify(value)),
);
const known = (field: (typeof ANSWERED_FIELDS)[number], isPlain: boolean) => {
  if (isTextField(field)) return isPlain ? plainTexts : texts;
  return field === "extra" || field === "focal_mechanisms" ? structures : numbers;
};

/** PostgreSQL's text of a time leaves zeros at the end out. */
const times = fc
  .tuple(
    fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true,
    }),
    fc.nat(999_999),
    fc.integer({ min: 0, max: 6 }),
  )
  .map(([date, micros, digits]) => {
    const seconds = date.toISOString().slice(0, 19).replace("T", " ");
    const fraction = String(micros).padStart(6, "0").slice(0, digits).replace(/0+$/, "");
    return { time: `${seconds}${fraction && `.${fraction}`}+00`, digits: String(digits) };
  });

/** What a row tells of its bulletin: members of its JSON. */
const TOLD = '"bulletin_sha256":"0123","bulletin_counts":{"origins":2}';

const rows: fc.Arbitrary<TextRow> = fc
  .boolean()
  .chain((isPlain) =>
    fc
      .tuple(
        fc.uuid(),
        times,
        ...ANSWERED_FIELDS.slice(2).map((field) => fc.option(known(field, isPlain))),
        fc.nat(50).map(String),
        fc.option(structures),
        fc.option(fc.constantFrom(TOLD)),
      )
      .map(([id, { time, digits }, ...values]) => [id, time, ...values, digits]),
  );

/** The columns of a row where members are not asked for. */
const withoutSources = (row: TextRow): TextRow => row.toSpliced(-3, 1);

/** What a page says of the events of these rows, done by objects. */
function expected(rows: readonly TextRow[], limit: number, reversed: boolean) {
  const events = rows.slice(0, limit).map((row) => {
    const { length } = ANSWERED_FIELDS;
    const values = toExportRow([...row.slice(0, length), row.at(-1) ?? null]);
    const [count, ...others] = row.slice(length, -1);
    const bulletin = others.pop() ?? null;
    const sources = others.pop() ?? null;
    const known = ANSWERED_FIELDS.map((field, i) => {
      const value = values[i] ?? null;
      return [field, value === null || isTextField(field) ? value : JSON.parse(value)];
    });
    return {
      ...Object.fromEntries(known),
      source_count: Number(count),
      ...(sources !== null && { source_events: JSON.parse(sources) }),
      ...(bulletin !== null && JSON.parse(`{${bulletin}}`)),
    };
  });
  const keys = events.map(({ magnitude, id }, i) => ({ magnitude, time: rows[i]?.[1], id }));
  const ends = [keys[0] ?? null, keys.at(-1) ?? null];
  const [first, last] = reversed ? ends.toReversed() : ends;
  return { events: reversed ? events.toReversed() : events, first, last };
}

function read({ json, ...rest }: WrittenEvents) {
  return { ...rest, events: JSON.parse(`[${json.join(",")}]`) };
}

test("events written from rows are what the rows say", () => {
  fc.assert(
    fc.property(
      fc.array(rows, { maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      fc.boolean(),
      (given, limit, reversed, withSources) => {
        const all = withSources ? given : given.map(withoutSources);
        const writer = createEventWriter(limit, reversed, withSources);
        for (const row of all) {
          const line = lineOf(row);
          writer.add(line);
          // The driver writes over it.
          line.fill(0);
        }
        const { events, first, last } = expected(all, limit, reversed);
        expect(read(writer.finish())).toEqual({
          events,
          count: events.length,
          more: all.length > limit,
          first,
          last,
        });
      },
    ),
    { numRuns: runs(500) },
  );
});

test("events written from rows go on where one is larger than what is taken at a time", () => {
  const row = (region: string): TextRow =>
    ["5f0c1d7e-0000-4000-8000-000000000001", "2016-11-13 11:02:56+00"].concat(
      ANSWERED_FIELDS.slice(2).map((field) => (field === "region" ? region : "1")),
      "1",
      TOLD,
      "0",
    );
  const regions = ["a", "b".repeat(200_000), "\u0001".repeat(50_000), "c"];
  const writer = createEventWriter(10, false);
  for (const region of regions) writer.add(lineOf(row(region)));
  const { events } = read(writer.finish());
  expect(events.map((event: { region: string }) => event.region)).toEqual(regions);
});
