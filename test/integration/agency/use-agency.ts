import { onTestFinished } from "vitest";
import {
  type AgencyClient,
  type AgencyClientOptions,
  createAgencyClient,
} from "#infra/agency/agency-client.ts";
import type { AgencyEvent } from "#infra/agency/answer.ts";
import type { AgencyQuery } from "#infra/agency/query.ts";
import type { AgencyBatch } from "#infra/agency/windows.ts";
import {
  startTestAgency,
  type TestAgency,
  type TestAgencyOptions,
} from "../../support/agency/test-agency.ts";

/** Everything that is generated: 2015 to 2022. */
export const ALL: AgencyQuery = {
  startTime: "2015-01-01T00:00:00Z",
  endTime: "2024-12-31T23:59:59Z",
  detail: "full",
};

/** A test agency until the test ends. */
export async function useAgency(options: TestAgencyOptions = {}): Promise<TestAgency> {
  const agency = await startTestAgency(options);
  onTestFinished(agency.close);
  return agency;
}

export type ClientScene = {
  readonly client: AgencyClient;
  /** What was waited for between requests, in milliseconds; nothing waits in fact. */
  readonly waits: number[];
};

/** A client of an agency, without a circuit breaker unless one is given, that never waits. */
export function useClient(url: string, options: Partial<AgencyClientOptions> = {}): ClientScene {
  const waits: number[] = [];
  const client = createAgencyClient({
    url,
    name: "Test agency",
    breaker: { run: (request) => request() },
    userAgent: "earthquake-catalogue-service/test",
    sleep: async (ms) => {
      waits.push(ms);
    },
    ...options,
  });
  onTestFinished(client.close);
  return { client, waits };
}

export type Fetched = {
  readonly batches: readonly AgencyBatch[];
  readonly events: readonly AgencyEvent[];
  readonly errors: AgencyBatch["errors"];
};

export async function fetchAll(
  client: AgencyClient,
  query: AgencyQuery,
  signal = new AbortController().signal,
): Promise<Fetched> {
  const batches: AgencyBatch[] = [];
  for await (const batch of client.fetchEvents(query, { signal })) batches.push(batch);
  return {
    batches,
    events: batches.flatMap(({ events }) => events.map(({ event }) => event)),
    errors: batches.flatMap(({ errors }) => errors),
  };
}

export function idsOf(events: readonly AgencyEvent[]): string[] {
  return events.map((event) => String(event["source_id"])).sort();
}
