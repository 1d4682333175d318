import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { FilteredQuery } from "#contracts/http/events.ts";
import type { Job } from "#contracts/http/jobs.ts";
import { saidAlike } from "#contracts/text.ts";
import { validate } from "#infra/json/validation.ts";
import type { DomainEvent } from "#infra/log/domain-events.ts";
import type { RecordedEvent } from "#infra/log/event-log.ts";
import { TaskStuck } from "#infra/threads/worker-threads.ts";
import { deedSummary, isDeed } from "#services/audit/sentences.ts";
import { errorAnswer, isNoFault } from "#services/errors.ts";
import { ownOrigins } from "#services/gateway/authentication.ts";
import { JsonItem, JsonList, writeBody } from "#services/handler.ts";
import { prefersAsync } from "#services/headers.ts";
import { ImportFailed } from "#services/imports/agencies.ts";
import { jobEvents } from "#services/jobs/handlers.ts";
import { firstRows } from "#services/uploads/handlers.ts";
import { createUploadTally } from "#services/uploads/worker.ts";
import { ServiceStopping } from "#services/works.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

test("a request whose work was ended for want of progress is told so", () => {
  expect(errorAnswer(new TaskStuck("streamMerged", 300, new Error("worker exited")))).toEqual({
    status: 500,
    body: {
      error: "The work on the request made no progress and was ended",
      code: "INTERNAL_ERROR",
    },
  });
});

test("a revision that was taken from its run is the service's fault, of imports too", () => {
  const givenUp = new Refusal("UNAVAILABLE", "Revision 1 is not open any more; try again");
  const unavailable = { status: 503, body: { code: "UNAVAILABLE" } };
  expect(errorAnswer(givenUp)).toMatchObject(unavailable);
  expect(errorAnswer(new ImportFailed("c", givenUp))).toMatchObject(unavailable);
});

test("work that a stop cuts off can be started again, and is no fault, of imports too", () => {
  for (const stopped of [new ServiceStopping(), new ImportFailed("c", new ServiceStopping())]) {
    expect(errorAnswer(stopped)).toMatchObject({
      status: 503,
      body: {
        error: "The service stopped before the work was done; start it again",
        code: "UNAVAILABLE",
      },
    });
    expect(isNoFault(stopped)).toBe(true);
  }
});

test("a body that its client broke off is the client's, though its code is a database's, too", () => {
  const aborted = Object.assign(new Error("aborted"), { code: "ECONNRESET" });
  expect(errorAnswer(aborted)).toMatchObject({ status: 500, body: { code: "DATABASE_ERROR" } });
  expect(errorAnswer(Object.assign(aborted, { statusCode: 400 }))).toEqual({
    status: 400,
    body: { error: "aborted", code: "VALIDATION_ERROR" },
  });
});

const member = fc.oneof(fc.jsonValue(), fc.constant(undefined));
const lists = fc
  .array(fc.jsonValue())
  .map((items) => new JsonList(items.map((item) => Buffer.from(JSON.stringify(item)))));
const items = fc.jsonValue().map((item) => new JsonItem(Buffer.from(JSON.stringify(item))));
const bodies = fc.dictionary(fc.string(), fc.oneof(member, lists, items), {
  noNullPrototype: true,
});

const textOf = (body: unknown): string => Buffer.concat(writeBody(body)).toString();

test("a body is written as JSON.stringify writes it, whatever of it is JSON already", () => {
  fc.assert(
    fc.property(bodies, (body) => {
      const text = textOf(body);
      expect(text).toBe(JSON.stringify(body));
      expect(text).toBe(textOf(JSON.parse(text)));
    }),
  );
});

test("the first rows are those of all, however they come", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ note: fc.string({ unit: "grapheme" }), n: fc.integer() }), {
        maxLength: 12,
      }),
      fc.integer({ min: 1, max: 8 }),
      fc.infiniteStream(fc.nat(4)),
      (rows, limit, sizes) => {
        const first = firstRows(limit);
        for (let from = 0; from < rows.length; ) {
          const size = sizes.next().value;
          const part = rows.slice(from, from + size).map((row) => JSON.stringify(row));
          const before = from === 0 || part.length === 0 ? "" : ",\n";
          first.add(Buffer.from(before + part.join(",\n")));
          from += size;
        }
        const shown: unknown = JSON.parse(`[${Buffer.from(first.rows())}]`);
        expect(shown).toEqual(rows.slice(0, limit));
      },
    ),
  );
});

const jobAt = (done: number): Job => ({
  id: "5b0c8f0e-6c8d-4b8e-9a55-0d3c0a1f7e11",
  kind: "merge",
  status: "running",
  progress: { done, total: 10, unit: "events" },
  created_at: "2020-01-01T00:00:00.000Z",
  updated_at: "2020-01-01T00:00:00.000Z",
});

/** What is sent when the job is looked at, at these seconds, with so much of it done. */
async function sent(looks: readonly (readonly [second: number, done: number])[]) {
  let nowMs = 0;
  async function* changes() {
    for (const [second, done] of looks) {
      nowMs = second * 1000;
      yield jobAt(done);
    }
  }
  const events: string[] = [];
  let news = 0;
  const onNews = (): void => {
    news += 1;
  };
  for await (const event of jobEvents(changes(), () => nowMs, onNews)) events.push(event);
  expect(news).toBe(events.filter((event) => event !== HEARTBEAT).length);
  return events;
}

const eventAt = (done: number) =>
  `event: operation\ndata: ${JSON.stringify({ operation: jobAt(done) })}\n\n`;
const HEARTBEAT = ": still running\n\n";

test("an operation is told of when it has changed", async () => {
  expect(
    await sent([
      [1, 0],
      [2, 0],
      [3, 4],
      [4, 4],
      [5, 9],
    ]),
  ).toEqual([eventAt(0), eventAt(4), eventAt(9)]);
});

test("a comment is sent when nothing was for fifteen seconds", async () => {
  expect(
    await sent([
      [1, 0],
      [15.9, 0],
      [16, 0],
      [30.9, 0],
      [31, 0],
      [32, 1],
    ]),
  ).toEqual([eventAt(0), HEARTBEAT, HEARTBEAT, eventAt(1)]);
});

testRows(
  "Prefer: respond-async asks for an early answer",
  [
    ["respond-async", true],
    ["Respond-Async", true],
    ["wait=10, respond-async", true],
    ["respond-async; foo=bar, wait=10", true],
    [["return=minimal", "respond-async"], true],
    ["respond-asynchronously", false],
    ["not-respond-async", false],
    ["return=minimal", false],
    ["", false],
    [undefined, false],
  ],
  (header, asks) => {
    expect(prefersAsync(header)).toBe(asks);
  },
);

testRows(
  "the service takes loopback addresses and its own origins for its own",
  [
    ["http://localhost:3000", "http://127.0.0.1:3000", "127.0.0.1:3000", true],
    ["http://localhost:3000", "http://[::1]:3000", "[::1]:3000", true],
    ["http://127.0.0.1:3000", "http://localhost:3000", "localhost:3000", true],
    ["http://localhost:3000", "http://127.0.0.1:4000", "127.0.0.1:3000", false],
    ["http://localhost:3000", "http://evil.example.org", "evil.example.org", false],
    ["http://localhost:3000", "null", "127.0.0.1:3000", false],
    ["http://localhost:3000", "http://127.0.0.1:3000/", "127.0.0.1:3000", false],
    ["https://catalogues.example.org", "http://127.0.0.1:3000", "127.0.0.1:3000", false],
    ["https://catalogues.example.org", "https://catalogues.example.org", "x", true],
    ["https://catalogues.example.org", "https://maps.example.org", "x", true],
  ],
  (base, origin, host, expected) => {
    expect(ownOrigins(base, ["https://maps.example.org"])({ origin, host })).toBe(expected);
  },
);

const givenUp = (reason: string) => ({
  type: "RevisionAbandoned" as const,
  data: { catalogueId: "0f8fad5b-d9cb-469f-a165-70867728950e", revision: 3, reason },
});
const isTold = (reason: string) =>
  isDeed(givenUp(reason) as Partial<RecordedEvent> as RecordedEvent);
const wordsOf = (reason: string) => deedSummary(givenUp(reason) as DomainEvent, null);

test("a change that was given up is a deed, told in words; an import's is told by its end", () => {
  expect(["its worker is gone", "Overloaded", "its import failed"].map(isTold)).toEqual([
    true,
    true,
    false,
  ]);
  expect(wordsOf("its worker is gone")).toBe(
    "Change given up, which left everything as it was: the service was stopped while it ran",
  );
  expect(wordsOf("TypeError")).toBe(
    "Change given up, which left everything as it was: it failed on the way",
  );
});

const problem = fc.record({
  kind: fc.constantFrom("error", "warning"),
  line: fc.integer({ min: 1, max: 1_000_000 }),
  message: fc.oneof(
    fc
      .tuple(fc.constantFrom("depth", "time"), fc.double({ noNaN: true }))
      .map(([column, value]) => `${column}: ${value} is not between -10 and 1000 km`),
    fc.string({ maxLength: 600 }),
  ),
} as const);

test("notes are all errors and warnings by what they say, each with its count and its first line", () => {
  fc.assert(
    fc.property(fc.array(problem, { maxLength: 400 }), (problems) => {
      const { sink, counts } = createUploadTally(1000, false);
      for (const { kind, line, message } of problems) sink[kind](line, message);
      const told = problems.map(({ line, message }) => ({ line, message: message.slice(0, 500) }));
      const groups = [...Map.groupBy(told, ({ message }) => saidAlike(message)).values()];
      expect(counts([]).notes).toEqual(
        groups.slice(0, 100).map((group) => ({
          message: group[0]?.message,
          count: group.length,
          first: Math.min(...group.map(({ line }) => line)),
        })),
      );
    }),
    { numRuns: runs(300) },
  );
});

testRows(
  "notes that say alike are one",
  [
    [
      "depth: 1500 is not between -10 and 1000 km",
      "depth: -2.5e-7 is not between -10 and 1000 km",
      true,
    ],
    ['mag: "12x" is not a number', 'mag: "9x" is not a number', true],
    [
      "The row has 5 fields where there are 4 columns",
      "The row has 7 fields where there are 4 columns",
      true,
    ],
    ['type: "nuke" is read as "nuclear explosion"', 'type: "rock" is read as "rock burst"', false],
    ["depth: 5 is less than 0", "rms: 5 is less than 0", false],
  ],
  (one, other, isOne) => {
    expect(saidAlike(one) === saidAlike(other)).toBe(isOne);
  },
);

const NAMES = Object.keys(FilteredQuery.shape);

const sentenceAbout = (query: Readonly<Record<string, string>>) => refusalOf(FilteredQuery, query);

function refusalOf(schema: z.ZodType, value: unknown): string {
  try {
    validate(schema, value);
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
  return "";
}

describe("a parameter that is not known", () => {
  testRows(
    "the error asks whether a name that is like it is meant",
    [
      ["minmag", "minMagnitude"],
      ["minmagnitude", "minMagnitude"],
      ["start", "startTime"],
      ["max_radius", "maxRadiusKm"],
      ["lat", "latitude"],
    ],
    (written, meant) => {
      expect(sentenceAbout({ [written]: "5" })).toContain(
        `${written}: is not known; do you mean ${meant}?`,
      );
    },
  );

  testRows("the error does not guess where nothing is", ["min", "m", "_", "colour"], (written) => {
    expect(sentenceAbout({ [written]: "5" })).toBe(`${written}: is not known`);
  });

  test("a name in another case is always recognised", () => {
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), fc.func(fc.boolean()), (name, isUpper) => {
        const written = [...name]
          .map((letter, at) => (isUpper(at) ? letter.toUpperCase() : letter.toLowerCase()))
          .join("");
        fc.pre(written !== name);
        expect(sentenceAbout({ [written]: "5" })).toContain(
          `${written}: is not known; do you mean ${name}?`,
        );
      }),
    );
  });
});

test("a bound that is not itself allowed is named so", () => {
  const sentence = (schema: z.ZodType, value: unknown) => {
    try {
      return validate(z.object({ n: schema }), { n: value });
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(sentence(z.number().positive(), 0)).toBe("n: must be above 0");
  expect(sentence(z.number().lt(1), 1)).toBe("n: must be below 1");
  expect(sentence(z.number().min(0).max(1), 2)).toBe("n: must be at most 1");
  expect(sentence(z.string().min(1), "")).toBe("n: must be at least 1 character");
  expect(sentence(z.array(z.number()).max(2), [1, 2, 3])).toBe("n: must be at most 2 members");
});

test("what is missing is required, whatever it has to be", () => {
  const schema = z.object({
    email: z.string(),
    role: z.enum(["editor", "admin"]),
    days: z.int(),
    of: z.discriminatedUnion("method", [z.object({ method: z.literal("a") })]),
  });
  expect(refusalOf(schema, { of: {} })).toBe(
    "email: is required; role: is required: one of editor, admin; days: is required; of.method: must be one of a",
  );
  expect(refusalOf(schema, { email: 5, role: "x", days: null, of: { method: "b" } })).toBe(
    "email: must be text; role: must be one of editor, admin; days: must be a number; of.method: must be one of a",
  );
});

test("what fits none of several schemas is answered with what each of them misses", () => {
  const schema = z.object({ of: z.union([z.boolean(), z.object({ id: z.uuid(), n: z.int() })]) });
  expect(refusalOf(schema, { of: { id: "x", n: 1.5 } })).toBe(
    "of: must be true or false, or id must be a UUID and n must be a whole number",
  );
});

test("a time that is none is answered with the forms that are taken", () => {
  expect(refusalOf(FilteredQuery, { startTime: "2024-02" })).toContain(
    "startTime: not an ISO 8601 time: write it as 2024-02-01",
  );
});
