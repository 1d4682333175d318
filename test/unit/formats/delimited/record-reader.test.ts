import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Delimiter } from "#infra/formats/delimited/dialect.ts";
import { createRecordReader } from "#infra/formats/delimited/record-reader.ts";

const DELIMITERS: readonly Delimiter[] = [",", "\t", ";", "|"];

/** A field as some program writes it: plain, padded or in quotes. */
const field = fc
  .tuple(
    fc
      .array(
        fc.constantFrom("a", "é", "日", "7", " ", '"', ",", ";", "|", "\t", "\n", "\r\n", "#"),
        {
          maxLength: 6,
        },
      )
      .map((marks) => marks.join("")),
    fc.constantFrom("", " ", "  "),
  )
  .map(([text, padding]) =>
    /["\r\n,;|\t#]/.test(text)
      ? `${padding}"${text.replaceAll('"', '""')}"${padding}`
      : `${padding}${text}${padding}`,
  );

const table = fc.array(fc.array(field, { minLength: 2, maxLength: 5 }), {
  minLength: 1,
  maxLength: 6,
});

function readRecords(pieces: readonly string[], delimiter: Delimiter) {
  const records: (readonly string[])[] = [];
  const faults: string[] = [];
  const reader = createRecordReader({ delimiter, quoting: true }, 1, {
    record: (fields) => records.push(fields),
    fault: (_line, message) => faults.push(message),
  });
  for (const piece of pieces) reader.write(piece);
  reader.end();
  return { records, faults };
}

describe("the record reader", () => {
  it("finds the fields that csv-parse finds in a text without faults", () => {
    fc.assert(
      fc.property(table, fc.constantFrom(...DELIMITERS), fc.nat(), (rows, delimiter, cut) => {
        // A first field keeps blank lines and comments apart from what is compared.
        const text = rows.map((row) => ["x", ...row].join(delimiter)).join("\n");
        const expected = parse(text, { delimiter, trim: true, relax_column_count: true });
        const at = cut % (text.length + 1);
        expect(readRecords([text.slice(0, at), text.slice(at)], delimiter)).toEqual({
          records: expected,
          faults: [],
        });
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps the empty texts that are in quotes where blanks delimit", () => {
    expect(readRecords(['a  "" \t"b  c"\n"x" y'], " ")).toEqual({
      records: [
        ["a", "", "b  c"],
        ["x", "y"],
      ],
      faults: [],
    });
  });
});
