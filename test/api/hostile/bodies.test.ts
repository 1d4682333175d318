import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { Operation } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiAnswer, ApiClient } from "../../support/api-client.ts";
import { runs } from "../../support/runs.ts";
import { useService } from "../../support/service.ts";
import { newAccount } from "../support/accounts.ts";
import { BODY_OPERATIONS, type BodyOperation } from "../support/bodies.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { countLogRows } from "../support/log-rows.ts";

const service = useService();
let client: ApiClient;
let names: Parameters<BodyOperation["path"]>[0];

beforeAll(async () => {
  const { id: user } = await newAccount(service, "viewer");
  client = await service.loginAs("admin");
  const { id: catalogue } = await createCatalogue(client);
  const events = `/api/catalogues/${catalogue}/events`;
  const { body } = await client.get<{ events: SeismicEvent[] }>(events);
  names = { catalogue, event: body.events[0]?.id ?? "", user };
});

type Sent = string | Uint8Array<ArrayBuffer>;

const send = ({ method, path }: BodyOperation, body: Sent, headers?: Record<string, string>) =>
  client.send(method, path(names), body, headers);

/** Expects a 4xx in the general shape, with a sentence, and nothing of the program's inside in it. */
function expectClear({ status, body }: ApiAnswer, { withoutCode }: BodyOperation): void {
  const text = JSON.stringify(body);
  expect(status, text).toBeGreaterThanOrEqual(400);
  expect(status, text).toBeLessThan(500);
  expect(body).toMatchObject({ error: expect.stringMatching(/\S/) });
  if (withoutCode !== true)
    expect(body).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/) });
  expect(text).not.toMatch(/node_modules|\.ts:|select |insert |at Object\./i);
}

const deep = (open: string, close: string) => `${open.repeat(10_000)}${close.repeat(10_000)}`;
/** `{"name":1,…}` with the text in the place of every value of the valid body. */
const everyValue = (valid: BodyOperation["valid"], value: string) =>
  `{${Object.keys(valid)
    .map((key) => `${JSON.stringify(key)}:${value}`)
    .join(",")}}`;

const NO_JSON: Readonly<Record<string, Sent>> = {
  "white space": " \n\t",
  "half an object": "{",
  "an open string": '{"name":"',
  "a comma too many": '{"name":"x",}',
  "single quotes": "{'name':'x'}",
  "a comment": '{"name":"x"/* */}',
  "two values": "{}{}",
  NaN: '{"name":NaN}',
  Infinity: '{"events":[Infinity]}',
  "a leading zero": '{"name":01}',
  "bytes that are not UTF-8": Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d),
  "UTF-16": new Uint8Array(Buffer.from('{"name":"x"}', "utf16le")),
  "a control character in a string": '{"name":"a\nb"}',
  "lists 10,000 deep": deep("[", "]"),
  "objects 10,000 deep": deep('{"a":', "}"),
  "lists 10,000 deep among the events": `{"name":"x","events":[${deep("[", "]")}]}`,
  "lists 10,000 deep that do not end": '{"name":'.concat("[".repeat(10_000)),
  ["__proto__"]: '{"__proto__":{"role":"admin"},"name":"x"}',
  "constructor.prototype": '{"constructor":{"prototype":{"role":"admin"}}}',
};

const WRONG_VALUES = [
  "null",
  "true",
  "1",
  "-1e400",
  "1e400",
  "[]",
  "[[]]",
  "{}",
  '{"a":1}',
  '"\\ud800"',
  '"a\\u0000b"',
];

describe.each(Object.entries(BODY_OPERATIONS))("%s", (name, operation) => {
  const untouched = async (work: () => Promise<void>) => {
    const before = await countLogRows(service);
    await work();
    expect(await countLogRows(service)).toBe(before);
  };

  test.each(Object.entries(NO_JSON))(
    "refuses %s as INVALID_JSON and writes nothing",
    async (_title, body) => {
      await untouched(async () => {
        const answer = await send(operation, body);
        expectClear(answer, operation);
        expect(answer).toMatchObject({ status: 400, body: { code: "INVALID_JSON" } });
      });
    },
  );

  test("takes no body for an empty object where that is one of its bodies, else asks for one", async () => {
    const { body }: Operation = operations[name as keyof typeof operations];
    const isTaken =
      operation.method === "POST" && typeof body === "object" && body.safeParse({}).success;
    const answer = await send(operation, "");
    expect(answer).toMatchObject(
      isTaken
        ? { status: (await send(operation, "{}")).status }
        : { status: 400, body: { code: "INVALID_JSON" } },
    );
  });

  test.each(["null", "true", "7", '"text"', "[]", "[{}]"])(
    "refuses %s in place of an object",
    async (body) => {
      await untouched(async () => {
        const answer = await send(operation, body);
        expectClear(answer, operation);
        expect(answer.status).toBe(400);
      });
    },
  );

  test.each([
    "text/plain",
    "application/xml",
    "multipart/form-data",
    "application/jsonx",
    "json",
    "application/json; charset=utf-16",
    'application/json; x=y; charset="latin1"',
  ])("answers 415 to the content type %s", async (type) => {
    await untouched(async () => {
      const answer = await send(operation, "{}", { "content-type": type });
      expect(answer).toMatchObject({ status: 415, body: { code: "UNSUPPORTED_MEDIA_TYPE" } });
    });
  });

  test("answers 415 to a compressed body", async () => {
    await untouched(async () => {
      const answer = await send(operation, "{}", { "content-encoding": "gzip" });
      expect(answer).toMatchObject({ status: 415, body: { code: "UNSUPPORTED_MEDIA_TYPE" } });
    });
  });

  test("takes JSON with a charset, a vendor type or a byte order mark", async () => {
    const valid = JSON.stringify(operation.valid);
    await send(operation, valid);
    // The second time, since some operations refuse what they have done already.
    const { status, body } = await send(operation, valid);
    expect(body).not.toMatchObject({ code: "INVALID_JSON" });
    for (const type of ['application/json; charset="UTF-8"', "application/vnd.x+json"]) {
      expect(await send(operation, valid, { "content-type": type })).toMatchObject({ status });
    }
    expect(await send(operation, `\ufeff${valid}`)).toMatchObject({ status });
  });

  test.each(WRONG_VALUES)("never fails on %s for a value", async (value) => {
    const answer = await send(operation, everyValue(operation.valid, value));
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500);
    if (answer.status >= 400) expectClear(answer, operation);
  });

  test("never fails on a text of a million characters", async () => {
    const answer = await send(operation, everyValue(operation.valid, `"${"x".repeat(1_000_000)}"`));
    expectClear(answer, operation);
  });

  test("never fails on keys that repeat, look alike or are the language's own", async () => {
    const keys = [
      "toString",
      "hasOwnProperty",
      "constructor",
      "ｎame",
      "nаme",
      "name\u200b",
      "NAME",
    ];
    const members = keys.map((key) => `${JSON.stringify(key)}:"x"`);
    const valid = JSON.stringify(operation.valid).slice(1);
    const answer = await send(operation, `{${members.join(",")},${members.join(",")},${valid}`);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500);
  });
});

describe("any JSON at all", () => {
  const keys = [
    "name",
    "events",
    "is_public",
    "role",
    "email",
    "password",
    "magnitude",
    "time",
    "extra",
    "updateExisting",
  ];
  const key = fc.oneof(fc.constantFrom(...keys), fc.string({ unit: "binary" }));
  const body = fc.oneof(
    fc.json({ maxDepth: 5 }),
    fc
      .dictionary(key, fc.jsonValue({ stringUnit: "binary" }))
      .map((value) => JSON.stringify(value)),
    fc.string({ unit: "binary" }),
  );

  test("any JSON at all is done, or refused by a 4xx that writes nothing", async () => {
    const operations = fc.constantFrom(...Object.values(BODY_OPERATIONS));
    await fc.assert(
      fc.asyncProperty(operations, body, async (operation, text) => {
        const before = await countLogRows(service);
        const answer = await send(operation, text);
        if (answer.status < 300) return;
        expectClear(answer, operation);
        expect(await countLogRows(service)).toBe(before);
      }),
      { numRuns: runs(200) },
    );
  }, 600_000);
});
