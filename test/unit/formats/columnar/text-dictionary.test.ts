import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createTextDictionary,
  type TextDictionary,
} from "#infra/formats/columnar/text-dictionary.ts";

function indexOf(dictionary: TextDictionary, text: string): number {
  const source = Buffer.from(`>${text}<`);
  return dictionary.indexOf(source, 1, source.length - 2);
}

const textAt = ({ texts }: TextDictionary, index: number) =>
  Buffer.from(texts.at(index)).toString();

test("a dictionary gives every text one index, in the order in which they come", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), (texts) => {
      const dictionary = createTextDictionary(texts.length + 1);
      indexOf(dictionary, "from the batch before");
      dictionary.clear();
      const different = [...new Set(texts)];
      for (const text of texts) {
        expect(indexOf(dictionary, text)).toBe(different.indexOf(text));
      }
      expect(different.map((_, i) => textAt(dictionary, i))).toEqual(different);
    }),
  );
});

test("a dictionary of as many texts as it has room for gives each back", () => {
  const texts = Array.from({ length: 10_000 }, (_, i) => `region ${i % 9_000}`);
  const dictionary = createTextDictionary(texts.length);
  for (const text of texts) expect(textAt(dictionary, indexOf(dictionary, text))).toBe(text);
  expect(dictionary.texts.length).toBe(9_000);
});

/** FNV-1a, folded as the dictionary does it. */
function placeOf(text: string, mask: number): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash ^ (hash >>> 15)) & mask;
}

test("a dictionary gives texts back that were chosen to meet at one place", () => {
  const meeting: string[] = [];
  for (let i = 0; meeting.length < 60; i += 1) {
    if (placeOf(`text ${i}`, 127) === 7) meeting.push(`text ${i}`);
  }
  const dictionary = createTextDictionary(64);
  for (const text of meeting) expect(textAt(dictionary, indexOf(dictionary, text))).toBe(text);
});
