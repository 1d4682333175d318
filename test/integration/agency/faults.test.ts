import { expect, test } from "vitest";
import {
  AgencyError,
  AgencyTimeout,
  AgencyUnavailable,
  isAgencyFailure,
} from "#infra/agency/http/exchange.ts";
import type { AgencyQuery } from "#infra/agency/query.ts";
import { type Fault, faultsInTurn, nameOf, PASSING } from "../../support/agency/fault.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { startTestAgency } from "../../support/agency/test-agency.ts";
import { ALL, fetchAll, idsOf, useAgency, useClient } from "./use-agency.ts";

const EVENTS = 100;
const SHORT_MS = 250;
const DETAILS = ["full", "summary"] as const;
type ClientOptions = Parameters<typeof useClient>[1];

const queryOf = (detail: AgencyQuery["detail"]): AgencyQuery => ({ ...ALL, detail });

/** What fetching everything from an agency whose every request meets the fault comes to. */
async function failureOf(fault: Fault, options: ClientOptions = {}, query = ALL) {
  const agency = await useAgency({ events: servedEvents(1, EVENTS) });
  agency.fail(() => fault);
  const { client, waits } = useClient(agency.url, options);
  const failure: unknown = await fetchAll(client, query).then(
    () => "no failure",
    (error: unknown) => error,
  );
  return { failure, waits, requests: agency.requests.length };
}

test("a request that meets a fault is sent again and gives every event once", async () => {
  const retried: readonly Fault[] = [
    ...PASSING,
    { kind: "status", status: 503 },
    { kind: "status", status: 429 },
  ];
  const served = [...servedEvents(1, 900)].filter(({ row }) =>
    /^2016-0[1-3]/.test(String(row["time"])),
  );
  for (const detail of DETAILS) {
    for (const fault of retried) {
      const agency = await useAgency({ events: served });
      agency.fail((_, attempt) => (attempt === 0 ? fault : null));
      const { client } = useClient(agency.url, { timeoutMs: 300, retries: 30 });
      const { events, errors } = await fetchAll(client, {
        ...queryOf(detail),
        startTime: "2016-01-01T00:00:00Z",
        endTime: "2016-02-20T00:00:00Z",
      });
      const expected = agency.catalogue
        .events()
        .filter(({ row }) => /^2016-(?:01|02-[01])/.test(String(row["time"])))
        .map(({ row }) => String(row["source_id"]));
      expect(errors, nameOf(fault)).toEqual([]);
      expect(idsOf(events), `${detail} ${nameOf(fault)}`).toEqual(expected.sort());
      expect(expected.length).toBeGreaterThan(10);
    }
  }
});

test("an answer that drips is taken", async () => {
  const agency = await useAgency({ events: servedEvents(1, EVENTS) });
  agency.fail(() => ({ kind: "drip" }));
  const { client, waits } = useClient(agency.url);
  expect((await fetchAll(client, ALL)).events).toHaveLength(EVENTS);
  expect(waits).toEqual([]);
});

test("an agency that stays silent is a time-out after the retries, one that stays ill is unavailable", async () => {
  for (const kind of ["hang", "stall"] as const) {
    const { failure, waits } = await failureOf({ kind }, { timeoutMs: SHORT_MS, retries: 2 });
    expect(failure, kind).toBeInstanceOf(AgencyTimeout);
    expect(waits).toHaveLength(2);
  }
  const lasting: readonly Fault[] = [
    { kind: "reset" },
    { kind: "shortened" },
    { kind: "status", status: 500 },
    { kind: "status", status: 502 },
    { kind: "status", status: 503, retryAfter: "1" },
    { kind: "status", status: 429 },
  ];
  for (const fault of lasting) {
    const { failure, requests } = await failureOf(fault, { retries: 3 });
    expect(failure, nameOf(fault)).toBeInstanceOf(AgencyUnavailable);
    expect(requests, nameOf(fault)).toBe(4);
  }
});

test("an agency that is not there is unavailable, and its host stays unsaid", async () => {
  const agency = await startTestAgency();
  await agency.close();
  for (const [url, reason] of [
    [agency.url, "it refuses connections"],
    ["http://nowhere.invalid/fdsnws/event/1", "its name cannot be resolved"],
  ] as const) {
    await expect(fetchAll(useClient(url).client, ALL)).rejects.toThrow(
      new AgencyUnavailable(`the connection to Test agency failed: ${reason}`),
    );
  }
});

test("a page in place of an answer is an AgencyError, whatever it says it is", async () => {
  for (const [detail, contentType, expected] of [
    ["full", "text/html; charset=utf-8", "QuakeML"],
    ["full", "application/xml", "QuakeML"],
    ["summary", "text/plain", "FDSN text"],
  ] as const) {
    const fault = { kind: "page", contentType } as const;
    const { failure, requests } = await failureOf(fault, { retries: 1 }, queryOf(detail));
    expect(failure).toBeInstanceOf(AgencyError);
    expect(String(failure)).toContain(
      `Test agency answered a web page where ${expected} was asked for`,
    );
    expect(requests).toBe(2);
  }
});

test("a refusal is told by 200 characters of the agency's own text, and asked for once", async () => {
  for (const status of [400, 401, 403, 414]) {
    const { failure, requests } = await failureOf({ kind: "status", status });
    expect(failure).toBeInstanceOf(AgencyError);
    expect(failure).toMatchObject({
      status,
      message: expect.stringContaining("the agency is not well"),
    });
    expect(requests).toBe(1);
  }
  for (const status of [400, 503]) {
    const text = "very ill ".repeat(300);
    const { failure } = await failureOf({ kind: "status", status, text });
    const [, told = ""] =
      /^\w+: Test agency answered with status \d+: (.*)$/s.exec(String(failure)) ?? [];
    expect(told).toMatch(/^Error \d+: very ill .*…$/);
    expect(told).toHaveLength(200);
  }
});

test("a redirect is not followed, and its host alone is told", async () => {
  for (const [location, host] of [
    [undefined, "nowhere"],
    ["https://name:pw@login.example:8443/secret/path?session=1#x", "login.example"],
    ["//mirror.example/fdsnws/event/1/query?token=1", "mirror.example"],
    ["/login?session=1", "another path"],
    ["mailto:somebody@login.example", "nowhere"],
    ["http://", "nowhere"],
  ] as const) {
    const fault: Fault = { kind: "status", status: 302, ...(location && { location }) };
    const { failure, requests } = await failureOf(fault);
    expect(failure).toEqual(
      new AgencyError(`Test agency sends its clients to ${host}, which is not followed`, {
        status: 302,
      }),
    );
    expect(requests).toBe(1);
  }
});

test("one answer that stays cut or malformed is told with its line after the retries", async () => {
  /** Asked for 2015 in windows, one of which stays as it is. */
  async function withLastingFault(fault: Fault, detail: AgencyQuery["detail"]) {
    const agency = await useAgency({ events: servedEvents(1, 300) });
    agency.fail((address) => (address.includes("endtime=2015-01-31") ? fault : null));
    const { client, waits } = useClient(agency.url, { retries: 2 });
    const failure = await fetchAll(client, queryOf(detail)).catch((error: unknown) => error);
    expect(waits).toHaveLength(2);
    return failure;
  }
  for (const detail of DETAILS) {
    for (const kind of ["truncated", "closed", "ended"] as const) {
      const failure = await withLastingFault({ kind }, detail);
      expect(failure, `${detail} ${kind}`).toBeInstanceOf(AgencyUnavailable);
      expect(String(failure)).toMatch(/Test agency's answer ends early, at line \d+: /);
      expect(isAgencyFailure(failure)).toBe(true);
    }
  }
  const malformed = await withLastingFault({ kind: "malformed" }, "full");
  expect(malformed).toBeInstanceOf(AgencyError);
  expect(String(malformed)).toMatch(
    /Test agency's answer cannot be read from line \d+ on: this event is not complete, line \d+/,
  );
});

test("text without a last line end is whole where the length of the answer is announced, and not where it is not", async () => {
  const events = [...servedEvents(1, 20)];
  const announced = await useAgency({ events, unended: true, contentLength: true });
  const { client, waits } = useClient(announced.url);
  expect((await fetchAll(client, queryOf("summary"))).events).toHaveLength(20);
  expect(waits).toEqual([]);
  const silent = await useAgency({ events, unended: true });
  const fetching = fetchAll(useClient(silent.url).client, queryOf("summary"));
  await expect(fetching).rejects.toThrow(AgencyUnavailable);
});

test("Retry-After is waited for, two minutes at most, also as a date", async () => {
  const now = () => Date.parse("2024-05-07T08:00:00Z");
  for (const [retryAfter, expected] of [
    ["7", 7_000],
    ["0", 0],
    ["3600", 120_000],
    ["Tue, 07 May 2024 08:00:30 GMT", 30_000],
  ] as const) {
    const agency = await useAgency({ events: servedEvents(1, 20) });
    agency.fail(faultsInTurn({ kind: "status", status: 503, retryAfter }));
    const { client, waits } = useClient(agency.url, { now });
    expect((await fetchAll(client, ALL)).events).toHaveLength(20);
    expect(waits).toEqual([expected]);
  }
});

test("waits between tries double, each between half and all of it", async () => {
  const fault = { kind: "status", status: 500 } as const;
  const { failure, waits } = await failureOf(fault, { retries: 3, backoffMs: 100 });
  expect(failure).toBeInstanceOf(AgencyUnavailable);
  for (const [i, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(50 * 2 ** i);
    expect(wait).toBeLessThanOrEqual(100 * 2 ** i);
  }
  expect(waits).toHaveLength(3);
});
