import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { operations } from "#contracts/http/table/operations.ts";
import { InvalidJson, parseJson, type SlicedBody, sliceEventsBody } from "#infra/json/json.ts";
import { exactJson } from "#infra/json/json-text.ts";
import { unknownMembers } from "#infra/json/validation.ts";
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

type Outcome = { envelope: unknown; events: unknown[] | null } | "refused";

function joined({ envelope, slices }: SlicedBody): Outcome {
  return { envelope, events: slices === null ? null : [...slices].flat() };
}

function slicedOutcome(bytes: Buffer): Outcome {
  try {
    return joined(sliceEventsBody(bytes));
  } catch (error) {
    if (error instanceof InvalidJson) return "refused";
    throw error;
  }
}

/** What JSON.parse makes of the whole: the oracle. */
function parsedOutcome(bytes: Buffer): Outcome {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return "refused";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { envelope: value, events: null };
  }
  const { events, ...rest } = value as Record<string, unknown>;
  return Array.isArray(events) ? { envelope: rest, events } : { envelope: value, events: null };
}

const json = fc.jsonValue({ stringUnit: "grapheme", maxDepth: 4, noUnicodeString: false });
const names = fc.constantFrom("name", "events ", "event", "Events", "\\events", "é", 'a"b');
const body = fc
  .tuple(
    fc.dictionary(names, json, { maxKeys: 3 }),
    fc.option(fc.oneof(fc.array(json, { maxLength: 8 }), json), { nil: undefined }),
    fc.dictionary(fc.constantFrom("tail", "isPublic"), json),
    fc.constantFrom(0, 1, "\t", " \r\n"),
  )
  .map(([before, events, after, space]) =>
    Buffer.from(
      JSON.stringify(
        { ...before, ...(events === undefined ? {} : { events }), ...after },
        null,
        space,
      ),
    ),
  );

const SYNTAX = [...'{}[],:"\\ \n', '"events":[', "e1", "nul", "\0", "-", "0"].map((text) =>
  Buffer.from(text),
);

/** Bytes replaced, taken out or put in, most of them such as mean something in JSON. */
const edits = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.integer({ min: 0, max: 2 }),
    insert: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...SYNTAX) },
      fc.uint8Array({ maxLength: 2 }).map((bytes) => Buffer.from(bytes)),
    ),
  }),
  { minLength: 1, maxLength: 3 },
);

function edited(
  bytes: Buffer,
  changes: typeof edits extends fc.Arbitrary<infer E> ? E : never,
): Buffer {
  return changes.reduce((text, { at, remove, insert }) => {
    const place = Math.floor(at * text.length);
    return Buffer.concat([text.subarray(0, place), insert, text.subarray(place + remove)]);
  }, bytes);
}

/** The two differences that are meant: a body with two `events`, and a byte order mark. */
function comparable(bytes: Buffer): boolean {
  const text = bytes.toString("latin1");
  return text.split('events"').length <= 2 && !text.startsWith("\u00ef\u00bb\u00bf");
}

describe("a sliced body", () => {
  test("a sliced body is the same as JSON.parse of the whole", () => {
    fc.assert(
      fc.property(body, (bytes) => {
        fc.pre(!bytes.includes("__proto__"));
        expect(slicedOutcome(bytes)).toEqual(parsedOutcome(bytes));
      }),
      { numRuns: runs(1000) },
    );
  });

  test("a sliced body is refused exactly when JSON.parse refuses the whole", () => {
    fc.assert(
      fc.property(body, edits, (bytes, changes) => {
        const damaged = edited(bytes, changes);
        fc.pre(comparable(damaged) && !damaged.includes("__proto__"));
        expect(slicedOutcome(damaged)).toEqual(parsedOutcome(damaged));
      }),
      { numRuns: runs(5000) },
    );
  });

  test("a sliced body is the same for any text of brackets, commas and names", () => {
    const token = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"events"',
      '"a"',
      "1",
      " ",
      '"\\"',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 14 }), (tokens) => {
        const bytes = Buffer.from(`{"events":[${tokens.join("")}]}`);
        fc.pre(comparable(bytes));
        expect(slicedOutcome(bytes)).toEqual(parsedOutcome(bytes));
      }),
      { numRuns: runs(5000) },
    );
  });

  test("a sliced body gives its events a thousand at a time", () => {
    const events = Array.from({ length: 2500 }, (_, index) => ({ index }));
    const { slices } = sliceEventsBody(Buffer.from(JSON.stringify({ events })));
    expect([...(slices ?? [])].map(({ length }) => length)).toEqual([1000, 1000, 500]);
  });

  test("a sliced body gives large events a megabyte at a time", () => {
    const events = Array.from({ length: 40 }, () => "x".repeat(100_000));
    const { slices } = sliceEventsBody(Buffer.from(JSON.stringify({ events })));
    expect(Math.max(...[...(slices ?? [])].map(({ length }) => length))).toBeLessThanOrEqual(11);
  });

  const thousand = Array.from({ length: 1000 }, () => "1").join(",");
  const nested = (depth: number) => `{"events":[${"[".repeat(depth)}${"]".repeat(depth)}]}`;

  testRows<[string, string | Buffer, object | "refused"]>(
    "a sliced body has the events of its own list alone, or is refused",
    [
      ["an event missing at the end of a slice", `{"events":[${thousand},]}`, "refused"],
      ["one missing between two", `{"events":[${thousand},,1]}`, "refused"],
      ["one missing before the first", `{"events":[,${thousand}]}`, "refused"],
      ["its name with escapes", '{"\\u0065vents":[1]}', { envelope: {}, events: [1] }],
      ["a nested and a quoted name", '{"a":{"events":[1]},"b":"events"}', { events: null }],
      ["a list of bodies", '[{"events":[1]}]', { envelope: [{ events: [1] }], events: null }],
      ...["{}", '{"events":{}}', '{"events":null}', "3", "null", "[]"].map(
        (text): [string, string, object] => [
          "no list",
          text,
          { envelope: JSON.parse(text), events: null },
        ],
      ),
      ["its events twice", '{"events":[1],"events":[2]}', "refused"],
      ["twice, escaped", '{"events":1,"event\\u0073":[2]}', "refused"],
      ["a byte order mark", '\ufeff{"events":[1]}', { envelope: {}, events: [1] }],
      ["no UTF-8", Buffer.from('{"events":["\xe9"]}', "latin1"), "refused"],
      ["nested to the limit", nested(62), { envelope: {} }],
      ["beyond it", nested(63), "refused"],
      ["far beyond it", nested(100_000), "refused"],
      ["and never ended", "[".repeat(100_000), "refused"],
      ["a prototype", '{"__proto__":{"admin":true},"events":[]}', "refused"],
      ["an event's", '{"events":[{"__proto__":{"admin":true}}]}', "refused"],
      ["escaped and deep", '{"events":[{},{"extra":{"a":[{"\\u005f_proto__":1}]}}]}', "refused"],
      ["by a constructor", '{"events":[{"extra":{"constructor":{"prototype":{}}}}]}', "refused"],
      ["a constructor's name", '{"events":[{"constructor":"Leica"}]}', { envelope: {} }],
    ],
    (_, body, expected) => {
      const outcome = slicedOutcome(Buffer.from(body as Buffer));
      if (expected === "refused") expect(outcome).toBe(expected);
      else expect(outcome).toMatchObject(expected);
    },
  );

  test("a sliced body tells at which byte it is wrong", () => {
    const wrong = (text: string) => {
      try {
        joined(sliceEventsBody(Buffer.from(text)));
      } catch (error) {
        return error instanceof InvalidJson ? error.position : error;
      }
      return null;
    };
    expect(wrong('{"name":"é","events":[1 2]}')).toBe(25);
    expect(wrong('{"events":[1,2,3] "name":1}')).toBe(18);
    expect(wrong('{"events":[1,2,3}')).toBe(16);
    expect(wrong('{"events":["a')).toBe(13);
  });

  test("a sliced body finds the end of long strings whatever backslashes they end with", () => {
    const tail = fc.integer({ min: 0, max: 6 }).map((n) => "\\".repeat(n));
    fc.assert(
      fc.property(fc.nat(120), tail, fc.nat(120), (before, backslashes, after) => {
        const text = `${"x".repeat(before)}${backslashes}"${"y".repeat(after)}`;
        const bytes = Buffer.from(JSON.stringify({ events: [text, text], name: text }));
        expect(slicedOutcome(bytes)).toEqual({ envelope: { name: text }, events: [text, text] });
      }),
      { numRuns: runs(500) },
    );
  });
});

const Body = z.object({
  depth: z.number().optional(),
  timeThreshold: z.number().default(1),
  nested: z
    .array(z.object({ name: z.string().nullable() }))
    .nullable()
    .optional(),
  either: z
    .union([z.string(), z.object({ from: z.number() }), z.object({ to: z.number() })])
    .optional(),
  any: z.record(z.string(), z.object({ x: z.number() })).optional(),
  loose: z.looseObject({}).optional(),
});

test("members that a schema does not know are named by their paths, with the known one that is meant", () => {
  expect(
    unknownMembers(Body, {
      dept: 7.3,
      timeTreshold: 2,
      nested: [{ name: "a" }, { name: null, nmae: 1 }],
      either: { to: 1, form: 2 },
      any: { a: { x: 1, y: 2 } },
      loose: { whatever: 1 },
      wholly_else: null,
    }),
  ).toEqual([
    { path: "dept", message: "is not known and has no effect; do you mean depth?" },
    { path: "timeTreshold", message: "is not known and has no effect; do you mean timeThreshold?" },
    { path: "nested.1.nmae", message: "is not known and has no effect; do you mean name?" },
    { path: "either.form", message: "is not known and has no effect" },
    { path: "any.a.y", message: "is not known and has no effect; do you mean x?" },
    { path: "wholly_else", message: "is not known and has no effect" },
  ]);
});

test("of many unknown members the first 100 are named", () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`member ${i}`, i]));
  const named = unknownMembers(Body, { nested: [many], ...many });
  expect(named).toHaveLength(100);
  expect(named[0]?.path).toBe("nested.0.member 0");
});

test("a member that was added at random is found, and nothing else is", () => {
  const known = Object.keys(Body.shape);
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (name) => {
      fc.pre(!known.includes(name) && name !== "__proto__");
      const paths = unknownMembers(Body, { depth: 1, [name]: 1 }).map(({ path }) => path);
      expect(paths).toEqual([name]);
    }),
  );
});

test("every operation with a body of JSON has warnings in its answers, but for analyses, which have their own", () => {
  const without = Object.values(operations).filter((operation) => {
    const schema = operation.answer;
    const hasBody =
      "body" in operation && operation.body !== undefined && operation.body !== "file";
    return hasBody && !(schema instanceof z.ZodObject && "warnings" in schema.shape);
  });
  expect(without.map(({ id }) => id)).toEqual([]);
});
