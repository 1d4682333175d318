import { beforeAll, expect, test } from "vitest";
import { countLogRows } from "../../support/api/log-rows.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";

const service = useService();
let client: ApiClient;

beforeAll(async () => {
  client = await service.loginAs("editor");
});

const VALID = `"time":"2020-01-01T00:00:00Z","latitude":1,"longitude":1,"magnitude":1`;

/** Beside what schemas say of each member (hostile/bodies). */
const INVALID: readonly (readonly [event: string, field: string])[] = [
  ["null", "event"],
  ["[]", "event"],
  ['"text"', "event"],
  ['{"latitude":1,"longitude":1,"magnitude":1}', "time"],
  [`{${VALID},"latitude":1e400}`, "latitude"],
  [`{${VALID},"latitude":"1e400"}`, "latitude"],
  [`{${VALID},"longitude":"12abc"}`, "longitude"],
  [`{${VALID},"longitude":361}`, "longitude"],
  [`{${VALID},"depth":[1]}`, "depth"],
  [`{${VALID},"magnitude":{"value":1}}`, "magnitude"],
  [`{${VALID},"magnitude":true}`, "magnitude"],
  [`{${VALID},"time":"2024-02-30T00:00:00Z"}`, "time"],
  [`{${VALID},"time":1577836800}`, "time"],
  [`{${VALID},"time":"0999-12-31T23:59:59Z"}`, "time"],
  [`{${VALID},"region":"a\\u0000b"}`, "region"],
  [`{${VALID},"region":"\\ud800"}`, "region"],
  [`{${VALID},"region":"${"x".repeat(5_000)}"}`, "region"],
  [`{${VALID},"note":"\\udc00"}`, "extra"],
  [`{${VALID},"note":"${"x".repeat(70_000)}"}`, "extra"],
  [`{${VALID},"id":12345678901234567890}`, "source_id"],
  [`{${VALID},"focal_mechanisms":"none"}`, "focal_mechanisms"],
  [`{${VALID},"used_station_count":2147483648000}`, "used_station_count"],
];

test("an event that is invalid is refused for its member, and nothing is written", async () => {
  const before = await countLogRows(service);
  for (const [event, field] of INVALID) {
    const answer = await client.send("POST", "/api/catalogues", `{"name":"x","events":[${event}]}`);
    const details = [{ index: 0, errors: [{ field }] }];
    expect([event, answer.status, answer.body]).toMatchObject([
      event,
      400,
      { code: "ALL_EVENTS_INVALID", details },
    ]);
  }
  for (const member of ['"__proto__":{"magnitude":9}', '"constructor":{"prototype":{}}']) {
    const body = `{"name":"x","events":[{${VALID}},{${VALID},"extra":{"a":{${member}}}}]}`;
    expectRefusal(await client.send("POST", "/api/catalogues", body), "INVALID_JSON");
  }
  // One of the two lists would be lost.
  const twice = '{"name":"x","events":[],"events":[]}';
  expectRefusal(await client.send("POST", "/api/catalogues", twice), "INVALID_JSON");
  expect(await countLogRows(service)).toBe(before);
});
