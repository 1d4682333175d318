import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { EXAMPLE, type Operation } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import { newEmail } from "../../support/api/accounts.ts";
import { countLogRows } from "../../support/api/log-rows.ts";
import { MATRIX, type Subjects } from "../../support/api/matrix.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import {
  type Fault,
  type JsonSchema,
  type Schemas,
  schemaFaults,
} from "../../support/api/schema-faults.ts";
import { newSubjects } from "../../support/api/subjects.ts";
import type { ApiAnswer } from "../../support/api-client.ts";
import { runs } from "../../support/runs.ts";
import { useService } from "../../support/service.ts";

const service = useService();
const client = service.client("admin");
let subjects: Subjects;

beforeAll(async () => {
  subjects = await newSubjects(service);
});

type Sent = string | Uint8Array<ArrayBuffer>;
type Json = Readonly<Record<string, unknown>>;

/** Without an institute, and where an administrator is there, nothing is at their addresses, whatever is sent. */
const NOTHING_THERE = new Set(["joinOpenId", "loadSetupSample", "createFirstAdministrator"]);
/**
 * From the shortest address on: what makes something stands before what only tries it, so that a member that both
 * have is walked whole where it counts.
 */
const OPERATIONS = (Object.values(operations) as readonly Operation[])
  .filter(({ id, body }) => body !== undefined && body !== "file" && !NOTHING_THERE.has(id))
  .toSorted((a, b) => a.path.length - b.path.length);
/** Where what it is sent is valid, of which nobody here is reached. */
const ASKS_AGENCY = "importEvents";
/** Also those that read no body. */
const WRITES = (Object.values(operations) as readonly Operation[]).filter(
  ({ method, body }) => method !== "GET" && body !== "file",
);

function send({ id }: Pick<Operation, "id">, body: unknown, headers?: Record<string, string>) {
  const [method, path] = MATRIX[id as keyof typeof MATRIX].request(subjects);
  if (method === "GET") throw new Error("a read has no body");
  return client.send(method, path, body, headers);
}

/** Its documented example, of what there is here. */
function validBody({ example }: Operation): Json {
  const there: Readonly<Record<string, string>> = subjects;
  const text = Object.entries(EXAMPLE).reduce(
    (sent, [name, stands]) => sent.replaceAll(stands, there[name] ?? stands),
    JSON.stringify(example),
  );
  const body: Json = JSON.parse(text);
  // Of what there may be one alone, another each time.
  return {
    ...body,
    ...("id" in body && { id: randomUUID() }),
    ...("email" in body && { email: newEmail() }),
  };
}

/** Expects a 4xx in the general shape, with a sentence, and nothing of the program's inside in it. */
function expectClear(
  { status, body }: ApiAnswer,
  { id }: Pick<Operation, "id">,
  sent: string,
): void {
  const text = JSON.stringify(body);
  const told = `${id} answers ${status} ${text} to ${sent}`;
  expect(Math.floor(status / 100), told).toBe(4);
  // Registration answers `{error}` alone to what it finds wrong itself.
  const code = id === "register" ? {} : { code: expect.stringMatching(/^[A-Z_]+$/) };
  expect(body, told).toMatchObject({ error: expect.stringMatching(/\S/), ...code });
  expect(text, told).not.toMatch(/node_modules|\.ts:|select |insert |at Object\./i);
}

async function untouched(of: Operation, work: () => Promise<void>): Promise<void> {
  const before = await countLogRows(service);
  await work();
  expect(await countLogRows(service), `${of.id} has written`).toBe(before);
}

const deep = (open: string, close: string) => `${open.repeat(10_000)}${close.repeat(10_000)}`;

const NO_JSON: Readonly<Record<string, Sent>> = {
  "half an object": "{",
  "bytes that are not UTF-8": Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d),
  "white space": " \n\t",
  "an open string": '{"name":"',
  "a comma too many": '{"name":"x",}',
  "single quotes": "{'name':'x'}",
  "a comment": '{"name":"x"/* */}',
  "two values": "{}{}",
  NaN: '{"name":NaN}',
  Infinity: '{"events":[Infinity]}',
  "a leading zero": '{"name":01}',
  "UTF-16": new Uint8Array(Buffer.from('{"name":"x"}', "utf16le")),
  "a control character in a string": '{"name":"a\nb"}',
  "lists 10,000 deep": deep("[", "]"),
  "objects 10,000 deep": deep('{"a":', "}"),
  "lists 10,000 deep among the events": `{"name":"x","events":[${deep("[", "]")}]}`,
  "lists 10,000 deep that do not end": '{"name":'.concat("[".repeat(10_000)),
};

/** Members that would set a prototype where a body is copied. */
const FORBIDDEN = [
  '"__proto__":{"role":"admin"}',
  '"__proto__":null',
  '"\\u005f_proto\\u005F_":1',
  '"constructor":{"prototype":{"role":"admin"}}',
  '"constructor" : {"a":1,"\\u0070rototype":null}',
  '"extra":{"__proto__":{}}',
  '"events":[{"extra":{"constructor":{"prototype":{}}}}]',
];

const OTHER_TYPES: readonly Record<string, string>[] = [
  ...[
    "text/plain",
    "application/xml",
    "multipart/form-data",
    "application/jsonx",
    "json",
    "application/json; charset=utf-16",
    'application/json; x=y; charset="latin1"',
  ].map((type) => ({ "content-type": type })),
  { "content-encoding": "gzip" },
];

/** Bodies are read by what the table says of them: all faults at one operation of each way, one of each kind at all. */
const WAYS = [...OPERATIONS.filter(({ body }) => body === "bytes"), operations.updateCatalogue];

test("no operation takes what is no JSON object in UTF-8, or what would set a prototype", async () => {
  for (const operation of OPERATIONS) {
    const of = <T>(some: readonly T[], kinds: number): readonly T[] =>
      WAYS.some(({ id }) => id === operation.id) ? some : some.slice(0, kinds);
    const { events: _, extra: __, ...others } = validBody(operation);
    const rest = JSON.stringify(others).slice(1);
    const withForbidden = FORBIDDEN.map((member) => `{${member}${rest === "}" ? "" : ","}${rest}`);
    await untouched(operation, async () => {
      for (const [name, body] of [
        ...of(Object.entries(NO_JSON), 2),
        ...of(withForbidden, 1).map((body) => [body, body] as const),
      ]) {
        const answer = await send(operation, body);
        expectClear(answer, operation, name);
        expect([name, answer.status, answer.body]).toMatchObject([
          name,
          400,
          { code: "INVALID_JSON" },
        ]);
      }
      for (const body of of(["[{}]", "null", "true", "7", '"text"', "[]"], 2)) {
        const answer = await send(operation, body);
        expectClear(answer, operation, body);
        expect(answer.status, `${operation.id}: ${body}`).toBe(400);
      }
      for (const headers of of(OTHER_TYPES, 1)) {
        const { status, body } = await send(operation, "{}", headers);
        const refused = [operation.id, headers, 415, { code: "UNSUPPORTED_MEDIA_TYPE" }];
        expect([operation.id, headers, status, body]).toMatchObject(refused);
      }
    });
  }
});

test("no operation without a body takes one that would set a prototype", async () => {
  for (const operation of WRITES.filter(({ body }) => body === undefined)) {
    const { status, body } = await send(operation, '{"__proto__": {}}');
    expect([operation.id, status, body]).toMatchObject([
      operation.id,
      400,
      { code: "INVALID_JSON" },
    ]);
  }
});

test("no operation fails on endless numbers, a million characters, or keys that repeat, look alike or are the language's own", async () => {
  const keys = ["toString", "hasOwnProperty", "constructor", "ｎame", "nаme", "name\u200b", "NAME"];
  const alike = keys.map((key) => `${JSON.stringify(key)}:"x"`).join(",");
  for (const operation of OPERATIONS) {
    const valid = validBody(operation);
    const everyValue = (value: string) =>
      `{${Object.keys(valid).map((key) => `${JSON.stringify(key)}:${value}`)}}`;
    await untouched(operation, async () => {
      for (const value of ["1e400", "-1e400"]) {
        expectClear(await send(operation, everyValue(value)), operation, value);
      }
      if (operation.body !== "bytes") return;
      const [member = ""] = Object.keys(valid);
      const long = JSON.stringify({ ...valid, [member]: "x".repeat(1_000_000) });
      expectClear(await send(operation, long), operation, `a long ${member}`);
    });
    if (operation.id === ASKS_AGENCY) continue;
    const sent = `{${alike},${alike},${JSON.stringify(valid).slice(1)}`;
    const { status, body } = await send(operation, sent);
    expect(status, `${operation.id}: ${JSON.stringify(body)}`).toBeLessThan(500);
  }
});

test("an operation takes no body for an empty object where that is one of its bodies, else it asks for one", async () => {
  for (const operation of OPERATIONS) {
    const { id, method, body } = operation;
    const isTaken = method === "POST" && typeof body === "object" && body.safeParse({}).success;
    const answer = await send(operation, "");
    if (isTaken) expect([id, answer.status]).toEqual([id, (await send(operation, "{}")).status]);
    else
      expect([id, answer.status, answer.body]).toMatchObject([id, 400, { code: "INVALID_JSON" }]);
  }
});

test("JSON is taken with a charset, a vendor type or a byte order mark", async () => {
  for (const id of ["createCatalogue", "updateCatalogue", "addEvents", "login"] as const) {
    const operation: Operation = operations[id];
    const valid = JSON.stringify(validBody(operation));
    const { status, body } = await send(operation, valid);
    expect(body, id).not.toMatchObject({ code: "INVALID_JSON" });
    for (const type of ['application/json; charset="UTF-8"', "application/vnd.x+json"]) {
      expect(await send(operation, valid, { "content-type": type }), id).toMatchObject({ status });
    }
    expect(await send(operation, `\ufeff${valid}`), id).toMatchObject({ status });
  }
});

/** Beside what schemas say of each member. */
const VALID_EVENT = `"time":"2020-01-01T00:00:00Z","latitude":1,"longitude":1,"magnitude":1`;
const INVALID_EVENTS: readonly (readonly [event: string, field: string])[] = [
  ["null", "event"],
  ["[]", "event"],
  ['"text"', "event"],
  ['{"latitude":1,"longitude":1,"magnitude":1}', "time"],
  [`{${VALID_EVENT},"latitude":1e400}`, "latitude"],
  [`{${VALID_EVENT},"latitude":"1e400"}`, "latitude"],
  [`{${VALID_EVENT},"longitude":"12abc"}`, "longitude"],
  [`{${VALID_EVENT},"longitude":361}`, "longitude"],
  [`{${VALID_EVENT},"depth":[1]}`, "depth"],
  [`{${VALID_EVENT},"magnitude":{"value":1}}`, "magnitude"],
  [`{${VALID_EVENT},"magnitude":true}`, "magnitude"],
  [`{${VALID_EVENT},"time":"2024-02-30T00:00:00Z"}`, "time"],
  [`{${VALID_EVENT},"time":1577836800}`, "time"],
  [`{${VALID_EVENT},"time":"0999-12-31T23:59:59Z"}`, "time"],
  [`{${VALID_EVENT},"region":"a\\u0000b"}`, "region"],
  [`{${VALID_EVENT},"region":"\\ud800"}`, "region"],
  [`{${VALID_EVENT},"region":"${"x".repeat(5_000)}"}`, "region"],
  [`{${VALID_EVENT},"note":"\\udc00"}`, "extra"],
  [`{${VALID_EVENT},"note":"${"x".repeat(70_000)}"}`, "extra"],
  [`{${VALID_EVENT},"id":12345678901234567890}`, "source_id"],
  [`{${VALID_EVENT},"focal_mechanisms":"none"}`, "focal_mechanisms"],
  [`{${VALID_EVENT},"used_station_count":2147483648000}`, "used_station_count"],
];

test("an event that is invalid is refused for its member, and nothing is written", async () => {
  const before = await countLogRows(service);
  for (const [event, field] of INVALID_EVENTS) {
    const answer = await send({ id: "createCatalogue" }, `{"name":"x","events":[${event}]}`);
    const details = [{ index: 0, errors: [{ field }] }];
    expect([event, answer.status, answer.body]).toMatchObject([
      event,
      400,
      { code: "ALL_EVENTS_INVALID", details },
    ]);
  }
  for (const member of ['"__proto__":{"magnitude":9}', '"constructor":{"prototype":{}}']) {
    const body = `{"name":"x","events":[{${VALID_EVENT}},{${VALID_EVENT},"extra":{"a":{${member}}}}]}`;
    expectRefusal(await send({ id: "createCatalogue" }, body), "INVALID_JSON");
  }
  // One of the two lists would be lost.
  const twice = '{"name":"x","events":[],"events":[]}';
  expectRefusal(await send({ id: "createCatalogue" }, twice), "INVALID_JSON");
  expect(await countLogRows(service)).toBe(before);
});

const EVENT_TEXTS =
  "(?:(?:createCatalogue|addEvents) events\\.0\\.|changeEvent )(?:magnitude_type|region|source_id|agency_id|author)";
const LISTED_TEXTS = "(?:eventType|magnitudeType|evaluationStatus|evaluationMode)";

/** What is not 400: numbers are texts of events; what is only compared may be any text; what is named may not be there. */
const OTHERWISE: readonly [fault: RegExp, ...statuses: number[]][] = [
  [new RegExp(`^${EVENT_TEXTS}: (?:of type number|a bidi)`), 200, 201, 409],
  [new RegExp(`^\\w+ filters\\.${LISTED_TEXTS}: (?:too long|half a|a bidi)`), 200],
  [/^register password: a bidi/, 201],
  [/^changePassword newPassword: a bidi/, 401],
  // Its token is spent.
  [/^resetPassword newPassword: a bidi/, 400],
  [/^addComment text: a bidi/, 201],
  [/^addEvents (?:join|preferred): /, 404],
  [/^preferSolutions \w+ID: (?:too long|a NUL|half a|a bidi)/, 409],
  [/^createSchedule agency: (?:a NUL|half a|a bidi)/, 404],
  [/^evaluateMerge truth: (?:half a|a bidi)/, 200],
  [/^reviewPair claim: (?:a NUL|half a|a bidi)/, 404],
  [/^(?:login \w+|changePassword currentPassword): (?:too long|a NUL|half a|a bidi)/, 401],
];
/** What sentences call a member. */
const CALLED: Readonly<Record<string, string>> = { newPassword: "password", catalogueName: "name" };

test("each member of each body that is missing, null, of a wrong type, beyond its bounds or misleading is refused by its name", async () => {
  type Described = { requestBody: { content: { "application/json": { schema: JsonSchema } } } };
  const { body: document } = await client.get<{
    paths: Record<string, Record<string, Described>>;
    components: { schemas: Schemas };
  }>("/api/openapi.json");
  // Bulletins have tests of their own.
  const bulletins = { QuakeMLEvent: { type: "object" }, EventWithBulletin: { type: "object" } };
  const schemas: Schemas = { ...document.components.schemas, ...bulletins };
  const known = new Set<string>();

  function faultsOf(operation: Operation): Fault[] {
    const { id, path, method, body } = operation;
    const described = document.paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
    const schema =
      id === "changeEvent"
        ? { ...schemas["SubmittedEvent"], required: [] }
        : (described?.requestBody.content["application/json"].schema ?? {});
    // What is checked by the schema itself is the same at all operations that share it.
    const isChecked =
      typeof body === "object" && !path.startsWith("/api/auth/") && id !== "changeEvent";
    return schemaFaults(schema, validBody(operation), schemas, (member) => {
      const isKnown = isChecked && known.has(member);
      if (isChecked) known.add(member);
      return isKnown;
    });
  }

  let count = 0;
  const unlike: string[] = [];
  for (const operation of OPERATIONS) {
    const named = faultsOf(operation).map((fault) => {
      const name = `${operation.id} ${fault.path.join(".")}: ${fault.kind}`;
      const statuses = OTHERWISE.find(([like]) => like.test(name))?.slice(1) ?? [];
      return { ...fault, name, statuses };
    });
    count += named.length;
    await untouched(operation, async () => {
      const refused = named.filter(({ statuses }) => statuses.length === 0);
      await sendTogether(refused, async ({ name, path, body }) => {
        const answer = await send(operation, body);
        const told = JSON.stringify(answer.body);
        const member = String(path.findLast((part) => typeof part === "string"));
        const isNamed = told.toLowerCase().includes((CALLED[member] ?? member).toLowerCase());
        if (answer.status !== 400 || !isNamed) unlike.push(`${name}: ${answer.status} ${told}`);
        else expectClear(answer, operation, name);
      });
    });
    for (const { name, body, statuses } of named.filter(({ statuses: some }) => some.length > 0)) {
      const { status } = await send(operation, body);
      if (!statuses.includes(status)) unlike.push(`${name}: ${status}`);
    }
  }
  expect(unlike).toEqual([]);
  expect(count).toBeGreaterThan(2_500);
});

/** A few at once, so that none waits for its turn long. */
async function sendTogether<T>(all: readonly T[], one: (item: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < all.length; i += 8) await Promise.all(all.slice(i, i + 8).map(one));
}

const HOSTILE_VALUE = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1e308, [], {}, [[]], ["a@example.org"]),
  fc.constantFrom("", " ", "\0", "\ud800", "a@\0.org", "а@ехample", "a＠example.org"),
  fc.constantFrom("__proto__", "constructor", "a@b", "' or 1=1 --", "\u202e@", "İ".repeat(300)),
  fc.integer({ min: 1_000, max: 50_000 }).map((length) => "x".repeat(length)),
  fc.jsonValue({ stringUnit: "binary" }),
);

test("any JSON at all is done, or refused by a 4xx that writes nothing", async () => {
  const ids = OPERATIONS.map(({ id }) => id).filter((id) => id !== ASKS_AGENCY);
  const examples = Object.fromEntries(OPERATIONS.map(({ id, example }) => [id, example]));
  const request = fc.constantFrom(...ids).chain((id) => {
    const own = fc.constantFrom(...Object.keys(examples[id] ?? {}), "extra", "toString");
    const key = fc.oneof({ weight: 4, arbitrary: own }, fc.string({ unit: "binary" }));
    const body = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.dictionary(key, HOSTILE_VALUE).map((value) => JSON.stringify(value)),
      },
      fc.json({ maxDepth: 5 }),
      fc.string({ unit: "binary" }),
    );
    return fc.tuple(fc.constant(id), body);
  });
  await fc.assert(
    fc.asyncProperty(request, async ([id, text]) => {
      const before = await countLogRows(service);
      const answer = await send({ id }, text);
      if (answer.status < 300) return;
      expectClear(answer, { id }, text.slice(0, 300));
      expect(await countLogRows(service)).toBe(before);
    }),
    { numRuns: runs(1_000) },
  );
}, 600_000);
