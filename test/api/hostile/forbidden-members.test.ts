import { beforeAll, describe, expect, test } from "vitest";
import { operations } from "#contracts/http/table/operations.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { MATRIX } from "../access/matrix/matrix.ts";
import type { Subjects } from "../access/matrix/row.ts";
import { call, newSubjects } from "../access/subjects.ts";
import { countLogRows } from "../support/log-rows.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = useService();
let admin: ApiClient;
let subjects: Subjects;

beforeAll(async () => {
  admin = await service.loginAs("admin");
  subjects = await newSubjects(service);
});

/** Without an institute there is nothing at its addresses, whatever is sent. */
const NOTHING_THERE = "joinOpenId";

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

const withBody = (Object.keys(operations) as (keyof typeof operations)[]).filter((name) => {
  const operation = operations[name];
  return name !== NOTHING_THERE && "body" in operation && operation.body !== "file";
});

describe.each(withBody)("%s", (name) => {
  test.each(FORBIDDEN)(
    "refuses %s in its body as INVALID_JSON and writes nothing",
    async (member) => {
      const [method, path, body] = MATRIX[name].request(subjects);
      const { events: _, extra: __, ...others } = (body ?? {}) as Readonly<Record<string, unknown>>;
      const rest = JSON.stringify(others).slice(1);
      const before = await countLogRows(service);
      const sent = `{${member}${rest === "}" ? "" : ","}${rest}`;
      expectRefusal(await call(admin, [method, path, sent]), "INVALID_JSON");
      expect(await countLogRows(service)).toBe(before);
    },
  );
});
