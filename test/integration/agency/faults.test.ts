import { describe, expect, test } from "vitest";
import type { AgencyQuery } from "#infra/agency/agency-query.ts";
import {
  AgencyError,
  AgencyTimeout,
  AgencyUnavailable,
  isAgencyFailure,
} from "#infra/agency/errors.ts";
import { type Fault, faultsInTurn, nameOf, PASSING } from "../../support/agency/fault.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { startTestAgency } from "../../support/agency/test-agency.ts";
import { ALL, fetchAll, idsOf, useAgency, useClient } from "./use-agency.ts";

const EVENTS = 100;
const SHORT_MS = 250;

const RETRIED: readonly Fault[] = [
  ...PASSING,
  { kind: "status", status: 503 },
  { kind: "status", status: 429 },
];

function queryOf(detail: AgencyQuery["detail"]): AgencyQuery {
  return { ...ALL, detail };
}

function named(faults: readonly Fault[]): [string, Fault][] {
  return faults.map((fault) => [nameOf(fault), fault]);
}

/** An agency whose every request meets the fault. */
async function failingAgency(fault: Fault) {
  const agency = await useAgency({ events: servedEvents(1, EVENTS) });
  agency.fail(() => fault);
  return agency;
}

describe.each(["full", "summary"] as const)("a request for %s", (detail) => {
  test.each(named(RETRIED))(
    "that meets %s is sent again and gives every event once",
    async (_, fault) => {
      const agency = await useAgency({ events: servedEvents(1, 900) });
      agency.fail((_, attempt) => (attempt === 0 ? fault : null));
      const { client } = useClient(agency.url, { timeoutMs: 500, retries: 30 });
      const { events, errors } = await fetchAll(client, {
        ...queryOf(detail),
        startTime: "2016-01-01T00:00:00Z",
        endTime: "2016-02-20T00:00:00Z",
      });
      const expected = agency.catalogue
        .events()
        .filter(({ row }) => /^2016-(?:01|02-[01])/.test(String(row["time"])))
        .map(({ row }) => String(row["source_id"]));
      expect(errors).toEqual([]);
      expect(idsOf(events)).toEqual(expected.sort());
      expect(expected.length).toBeGreaterThan(10);
    },
  );
});

test("an answer that drips is taken", async () => {
  const agency = await useAgency({ events: servedEvents(1, EVENTS) });
  agency.fail(() => ({ kind: "drip" }));
  const { client, waits } = useClient(agency.url);
  const { events } = await fetchAll(client, ALL);
  expect(events).toHaveLength(EVENTS);
  expect(waits).toEqual([]);
});

describe("an agency that stays ill", () => {
  test.each([{ kind: "hang" }, { kind: "stall" }] as const)(
    "an agency that stays ill is a time-out after the retries when it does $kind",
    async (fault) => {
      const agency = await failingAgency(fault);
      const { client, waits } = useClient(agency.url, { timeoutMs: SHORT_MS, retries: 2 });
      await expect(fetchAll(client, ALL)).rejects.toThrow(AgencyTimeout);
      expect(waits).toHaveLength(2);
    },
  );

  const lasting: readonly Fault[] = [
    { kind: "reset" },
    { kind: "shortened" },
    { kind: "status", status: 500 },
    { kind: "status", status: 502 },
    { kind: "status", status: 503, retryAfter: "1" },
    { kind: "status", status: 429 },
  ];
  test.each(named(lasting))(
    "an agency that stays ill is unavailable after the retries for %s",
    async (_, fault) => {
      const agency = await failingAgency(fault);
      const { client } = useClient(agency.url, { retries: 3 });
      await expect(fetchAll(client, ALL)).rejects.toThrow(AgencyUnavailable);
      expect(agency.requests).toHaveLength(4);
    },
  );

  test("an agency that stays ill is unavailable when nobody listens", async () => {
    const agency = await startTestAgency();
    await agency.close();
    const { client } = useClient(agency.url);
    await expect(fetchAll(client, ALL)).rejects.toThrow(
      "the connection to Test agency failed: it refuses connections",
    );
  });

  test("an agency whose name is unknown is unavailable, and its host stays unsaid", async () => {
    const { client } = useClient("http://nowhere.invalid/fdsnws/event/1");
    await expect(fetchAll(client, ALL)).rejects.toThrow(
      /^the connection to Test agency failed: its name cannot be resolved$/,
    );
  });

  test.each([
    ["full", "text/html; charset=utf-8", "QuakeML"],
    ["full", "application/xml", "QuakeML"],
    ["summary", "text/plain", "FDSN text"],
  ] as const)(
    "an agency that stays ill is an AgencyError in %s when it answers a page as %s",
    async (...given) => {
      const [detail, contentType, expected] = given;
      const agency = await failingAgency({ kind: "page", contentType });
      const { client } = useClient(agency.url, { retries: 1 });
      const failure: unknown = await fetchAll(client, queryOf(detail)).catch((error) => error);
      expect(failure).toBeInstanceOf(AgencyError);
      expect(String(failure)).toContain(
        `Test agency answered a web page where ${expected} was asked for`,
      );
      expect(agency.requests).toHaveLength(2);
    },
  );

  test.each([400, 401, 403, 414])(
    "an agency that stays ill is told by its own text when it refuses with %i",
    async (status) => {
      const agency = await failingAgency({ kind: "status", status });
      const { client } = useClient(agency.url);
      const failure = fetchAll(client, ALL);
      await expect(failure).rejects.toThrow(AgencyError);
      await expect(failure).rejects.toMatchObject({
        status,
        message: expect.stringContaining("the agency is not well"),
      });
      expect(agency.requests).toHaveLength(1);
    },
  );

  test.each([
    [undefined, "nowhere"],
    ["https://name:pw@login.example:8443/secret/path?session=1#x", "login.example"],
    ["//mirror.example/fdsnws/event/1/query?token=1", "mirror.example"],
    ["/login?session=1", "another path"],
    ["mailto:somebody@login.example", "nowhere"],
    ["http://", "nowhere"],
  ])(
    "an agency that stays ill is not followed to %s, of which the host alone is told",
    async (location, host) => {
      const agency = await failingAgency({
        kind: "status",
        status: 302,
        ...(location && { location }),
      });
      const { client } = useClient(agency.url);
      await expect(fetchAll(client, ALL)).rejects.toThrow(
        new AgencyError(`Test agency sends its clients to ${host}, which is not followed`, {
          status: 302,
        }),
      );
      expect(agency.requests).toHaveLength(1);
    },
  );

  test.each([400, 503])(
    "an agency that stays ill is told by 200 characters of its text with %i, no more",
    async (status) => {
      const text = "very ill ".repeat(300);
      const agency = await failingAgency({ kind: "status", status, text });
      const { client } = useClient(agency.url);
      const failure: unknown = await fetchAll(client, ALL).catch((error: unknown) => error);
      const [, told = ""] =
        /^\w+: Test agency answered with status \d+: (.*)$/s.exec(String(failure)) ?? [];
      expect(told).toMatch(/^Error \d+: very ill .*…$/);
      expect(told).toHaveLength(200);
    },
  );
});

/** Asked for 2015 in windows, one of which stays as it is. */
async function withLastingFault(fault: Fault, detail: AgencyQuery["detail"]) {
  const agency = await useAgency({ events: servedEvents(1, EVENTS) });
  agency.fail((address) => (address.includes("endtime=2015-01-31") ? fault : null));
  const { client, waits } = useClient(agency.url, { retries: 2 });
  const failure = fetchAll(client, queryOf(detail)).catch((error: unknown) => error);
  return { failure: await failure, waits };
}

describe.each(["full", "summary"] as const)("an answer in %s that stays broken", (detail) => {
  const cut: readonly Fault[] = [{ kind: "truncated" }, { kind: "closed" }, { kind: "ended" }];
  test.each(named(cut))(
    "is AgencyUnavailable after the retries where it is %s",
    async (_, fault) => {
      const { failure, waits } = await withLastingFault(fault, detail);
      expect(failure).toBeInstanceOf(AgencyUnavailable);
      expect(String(failure)).toMatch(/Test agency's answer ends early, at line \d+: /);
      expect(isAgencyFailure(failure)).toBe(true);
      expect(waits).toHaveLength(2);
    },
  );
});

test("an answer that stays malformed is an AgencyError that names its line", async () => {
  const { failure, waits } = await withLastingFault({ kind: "malformed" }, "full");
  expect(failure).toBeInstanceOf(AgencyError);
  expect(String(failure)).toMatch(
    /Test agency's answer cannot be read from line \d+ on: this event is not complete, line \d+/,
  );
  expect(waits).toHaveLength(2);
});

describe("an agency whose text ends without a line end", () => {
  const events = () => servedEvents(1, 20);
  test("an agency whose text ends without a line end is read whole where it announces the length of its answers", async () => {
    const agency = await useAgency({ events: events(), unended: true, contentLength: true });
    const { client, waits } = useClient(agency.url);
    expect((await fetchAll(client, queryOf("summary"))).events).toHaveLength(20);
    expect(waits).toEqual([]);
  });

  test("an agency whose text ends without a line end is not where it announces none", async () => {
    const agency = await useAgency({ events: events(), unended: true });
    const { client } = useClient(agency.url);
    await expect(fetchAll(client, queryOf("summary"))).rejects.toThrow(AgencyUnavailable);
  });
});

test.each([
  ["7", 7_000],
  ["0", 0],
  ["3600", 120_000],
])("Retry-After: %s is waited for, two minutes at most", async (retryAfter, expected) => {
  const agency = await useAgency({ events: servedEvents(1, 20) });
  agency.fail(faultsInTurn({ kind: "status", status: 503, retryAfter }));
  const { client, waits } = useClient(agency.url);
  expect((await fetchAll(client, ALL)).events).toHaveLength(20);
  expect(waits).toEqual([expected]);
});

test("a date in Retry-After is waited for", async () => {
  const agency = await useAgency({ events: servedEvents(1, 20) });
  const retryAfter = "Tue, 07 May 2024 08:00:30 GMT";
  agency.fail(faultsInTurn({ kind: "status", status: 429, retryAfter }));
  const now = () => Date.parse("2024-05-07T08:00:00Z");
  const { client, waits } = useClient(agency.url, { now });
  expect((await fetchAll(client, ALL)).events).toHaveLength(20);
  expect(waits).toEqual([30_000]);
});

test("waits between tries double, each between half and all of it", async () => {
  const agency = await failingAgency({ kind: "status", status: 500 });
  const { client, waits } = useClient(agency.url, { retries: 3, backoffMs: 100 });
  await expect(fetchAll(client, ALL)).rejects.toThrow(AgencyUnavailable);
  for (const [i, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(50 * 2 ** i);
    expect(wait).toBeLessThanOrEqual(100 * 2 ** i);
  }
  expect(waits).toHaveLength(3);
});
