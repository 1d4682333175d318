import { beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { countLogRows } from "../support/log-rows.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = useService();
let client: ApiClient;

beforeAll(async () => {
  client = await service.loginAs("editor");
});

describe("events within a body", () => {
  const valid = `"time":"2020-01-01T00:00:00Z","latitude":1,"longitude":1,"magnitude":1`;

  test.each([
    ["null", "event"],
    ["[]", "event"],
    ['"text"', "event"],
    ['{"latitude":1,"longitude":1,"magnitude":1}', "time"],
    [`{${valid},"latitude":1e400}`, "latitude"],
    [`{${valid},"latitude":"1e400"}`, "latitude"],
    [`{${valid},"longitude":"12abc"}`, "longitude"],
    [`{${valid},"longitude":361}`, "longitude"],
    [`{${valid},"depth":[1]}`, "depth"],
    [`{${valid},"magnitude":{"value":1}}`, "magnitude"],
    [`{${valid},"magnitude":true}`, "magnitude"],
    [`{${valid},"time":"2024-02-30T00:00:00Z"}`, "time"],
    [`{${valid},"time":1577836800}`, "time"],
    [`{${valid},"time":"0999-12-31T23:59:59Z"}`, "time"],
    [`{${valid},"region":"a\\u0000b"}`, "region"],
    [`{${valid},"region":"\\ud800"}`, "region"],
    [`{${valid},"region":"${"x".repeat(5_000)}"}`, "region"],
    [`{${valid},"note":"\\udc00"}`, "extra"],
    [`{${valid},"note":"${"x".repeat(70_000)}"}`, "extra"],
    [`{${valid},"id":12345678901234567890}`, "source_id"],
    [`{${valid},"focal_mechanisms":"none"}`, "focal_mechanisms"],
    [`{${valid},"used_station_count":2147483648000}`, "used_station_count"],
  ])("%s is invalid for its %s", async (event, field) => {
    const before = await countLogRows(service);
    const answer = await client.send("POST", "/api/catalogues", `{"name":"x","events":[${event}]}`);
    expect(answer).toMatchObject({ status: 400, body: { code: "ALL_EVENTS_INVALID" } });
    expect(answer.body).toMatchObject({ details: [{ index: 0, errors: [{ field }] }] });
    expect(await countLogRows(service)).toBe(before);
  });

  test.each(['"__proto__":{"magnitude":9}', '"constructor":{"prototype":{}}'])(
    "events within a body with the member %s are no JSON that is taken, whatever else is sent",
    async (member) => {
      const body = `{"name":"x","events":[{${valid}},{${valid},"extra":{"a":{${member}}}}]}`;
      const before = await countLogRows(service);
      expectRefusal(await client.send("POST", "/api/catalogues", body), "INVALID_JSON");
      expect(await countLogRows(service)).toBe(before);
    },
  );

  test.each(["{}", '"text"', "7", "null", "true"])("%s is no list of events", async (events) => {
    const answer = await client.send("POST", "/api/catalogues", `{"name":"x","events":${events}}`);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: "VALIDATION_ERROR", error: expect.stringContaining("events") },
    });
  });

  test("events within a body are not given twice: one of the two lists would be lost", async () => {
    const answer = await client.send(
      "POST",
      "/api/catalogues",
      '{"name":"x","events":[],"events":[]}',
    );
    expect(answer).toMatchObject({ status: 400, body: { code: "INVALID_JSON" } });
  });
});
