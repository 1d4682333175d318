import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFileDecoder } from "#infra/formats/decode-text.ts";

const TEXT = "time,region\n2016-11-13,Kaikōura 🌏\n";

function decode(bytes: Uint8Array, cuts: readonly number[] = []) {
  const decoder = createFileDecoder(bytes.subarray(0, 64));
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  const pieces: string[] = [];
  const warnings: string[] = [];
  let from = 0;
  for (const end of ends.sort((a, b) => a - b)) {
    const { text, warning } = decoder.write(bytes.subarray(from, end));
    pieces.push(text);
    if (warning !== null) warnings.push(warning);
    from = end;
  }
  const { text, warning } = decoder.end();
  if (warning !== null) warnings.push(warning);
  return { text: pieces.join("") + text, warnings };
}

const utf16be = (text: string) => Buffer.from(text, "utf16le").swap16();
const mark = (...bytes: number[]) => Buffer.from(bytes);

describe("the text of a file", () => {
  test.each([
    ["UTF-8", Buffer.from(TEXT)],
    ["UTF-8 with a mark", Buffer.concat([mark(0xef, 0xbb, 0xbf), Buffer.from(TEXT)])],
    ["UTF-16 LE with a mark", Buffer.concat([mark(0xff, 0xfe), Buffer.from(TEXT, "utf16le")])],
    ["UTF-16 BE with a mark", Buffer.concat([mark(0xfe, 0xff), utf16be(TEXT)])],
    ["UTF-16 LE", Buffer.from(TEXT, "utf16le")],
    ["UTF-16 BE", utf16be(TEXT)],
  ])("the text of a file in %s is read as it was written, however it is cut", (_, bytes) => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { maxLength: 4 }), (cuts) => {
        expect(decode(bytes, cuts)).toEqual({ text: TEXT, warnings: [] });
      }),
    );
  });

  test("the text of a file of any kind in UTF-8 is read as it was written, however it is cut", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0")),
        fc.array(fc.nat(200), { maxLength: 4 }),
        (text, cuts) => {
          const file = `time,${text}`;
          expect(decode(Buffer.from(file), cuts)).toEqual({ text: file, warnings: [] });
        },
      ),
    );
  });

  test("the text of a file that is no UTF-8 is Windows-1252, with a warning, however it is cut", () => {
    const bytes = Buffer.from("region\nMálaga – Sierra Nevada\nCórdoba\n", "latin1");
    bytes[bytes.indexOf("\u0013")] = 0x96;
    fc.assert(
      fc.property(fc.array(fc.nat(200), { maxLength: 4 }), (cuts) => {
        const { text, warnings } = decode(bytes, cuts);
        expect(text).toBe("region\nMálaga – Sierra Nevada\nCórdoba\n");
        expect(warnings).toHaveLength(1);
      }),
    );
  });

  test("the text of a file in UTF-8 with one damaged byte keeps its other characters", () => {
    const bytes = Buffer.from("Kaikōura, Whakatāne, Tūrangi, Taupō, Ōhope!");
    bytes[bytes.length - 1] = 0xff;
    const { text, warnings } = decode(bytes);
    expect(text).toBe("Kaikōura, Whakatāne, Tūrangi, Taupō, Ōhope\uFFFD");
    expect(warnings).toEqual(["bytes that are no UTF-8 are shown as \uFFFD"]);
  });

  test("the text of a file of XML is read in the encoding that it declares", () => {
    const xml = `<?xml version="1.0" encoding="ISO-8859-1"?><text>Málaga</text>`;
    expect(decode(Buffer.from(xml, "latin1"))).toEqual({ text: xml, warnings: [] });
    const unknown = `<?xml version="1.0" encoding="x-none"?><text>Málaga</text>`;
    expect(decode(Buffer.from(unknown))).toEqual({ text: unknown, warnings: [] });
    const wrong = `<?xml version="1.0" encoding="UTF-16"?><text>Málaga</text>`;
    expect(decode(Buffer.from(wrong))).toEqual({ text: wrong, warnings: [] });
  });

  test("the text of a file is found in any bytes", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.array(fc.nat(200), { maxLength: 3 }),
        (bytes, cuts) => {
          expect(typeof decode(bytes, cuts).text).toBe("string");
        },
      ),
    );
  });
});
