import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exactJson } from "#infra/json/exact-json.ts";
import { InvalidJson } from "#infra/json/invalid-json.ts";
import { parseJson } from "#infra/json/parse-json.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

/** The name as JSON, some characters of it escaped. */
function written(name: string): fc.Arbitrary<string> {
  const escaped = (character: string, isUpper: boolean) => {
    const digits = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${isUpper ? digits.toUpperCase() : digits}`;
  };
  const each = [...name].map((character) =>
    fc.constantFrom(character, escaped(character, true), escaped(character, false)),
  );
  return fc.tuple(...each).map((characters) => `"${characters.join("")}"`);
}

/** Whether a member anywhere is named `__proto__`, or `prototype` below `constructor`. */
function setsPrototype(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([name, member]) =>
      name === "__proto__" ||
      (name === "constructor" && Object.keys(member ?? {}).includes("prototype")) ||
      setsPrototype(member),
  );
}

describe("parseJson", () => {
  test("parseJson gives what JSON.parse gives", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "grapheme" }), (text) => {
        fc.pre(!text.includes("__proto__"));
        expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test("parseJson refuses what sets a prototype at any depth, however it is written, and nothing else", () => {
    const name = fc.constantFrom("__proto__", "constructor", "prototype", "a").chain(written);
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, fc.constantFrom("null", "1", '"__proto__"'), tie("nested")),
      nested: fc.oneof(tie("list"), tie("object")),
      list: fc.array(tie("value"), { maxLength: 3 }).map((each) => `[${each.join(" ,")}]`),
      object: fc
        .uniqueArray(fc.tuple(name, tie("value")), {
          maxLength: 3,
          selector: ([key]) => JSON.parse(key),
        })
        .map((each) => `{${each.map((member) => member.join(" : ")).join(",")}}`),
    }));
    fc.assert(
      fc.property(value as fc.Arbitrary<string>, (text) => {
        const parse = () => parseJson(Buffer.from(text));
        if (setsPrototype(JSON.parse(text))) expect(parse).toThrow(InvalidJson);
        else expect(parse()).toEqual(JSON.parse(text));
      }),
      { numRuns: runs(2_000) },
    );
  });

  test("parseJson ignores a byte order mark", () => {
    expect(parseJson(Buffer.from("\ufeff[1]"))).toEqual([1]);
  });

  testRows(
    "parseJson refuses what is no JSON, sets a prototype or is nested too deep",
    [
      ["nothing", ""],
      ["a comma too many", "[1,]"],
      ["an unfinished string", '{"a":"b'],
      ["a member that sets a prototype", '{"a":{"__proto__":{}}}'],
      ["the same, escaped", '{"__\\u0070roto__":{}}'],
      ["a constructor's prototype", '{"constructor":{"prototype":{}}}'],
      ["nesting beyond the limit", `${"[".repeat(65)}${"]".repeat(65)}`],
    ],
    (_, text) => {
      expect(() => parseJson(Buffer.from(text))).toThrow(InvalidJson);
    },
  );

  test("parseJson refuses what is not UTF-8", () => {
    expect(() => parseJson(Buffer.from([0x22, 0xe9, 0x22]))).toThrow("not valid UTF-8");
  });

  test("parseJson allows nesting up to the limit", () => {
    expect(parseJson(Buffer.from('[["]"]]'), { maxDepth: 2 })).toEqual([["]"]]);
    expect(() => parseJson(Buffer.from("[[[]]]"), { maxDepth: 2 })).toThrow("deeper than 2");
  });

  test("parseJson tells the byte of a fault, not the body", () => {
    const parse = () => parseJson(Buffer.from('{"pässword":"secret" x}'));
    expect(parse).toThrow("the body is not valid JSON (at byte 22)");
  });
});

describe("exactJson", () => {
  test("exactJson parses back to an equal value, down to the sign of zero", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(exactJson(value))).toStrictEqual(value);
      }),
    );
    expect(exactJson({ a: [-0, 0], b: "-0" })).toBe('{"a":[-0,0],"b":"-0"}');
  });
});
