import { afterAll, beforeAll } from "vitest";
import type { ImportRecord } from "#contracts/http/import-history.ts";
import type { ImportResult } from "#contracts/http/imports.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import {
  startTestAgency,
  type TestAgency,
  type TestAgencyOptions,
} from "../../support/agency/test-agency.ts";
import type { ApiAnswer, ApiClient } from "../../support/api-client.ts";
import { type TestService, type UseServiceOptions, useService } from "../../support/service.ts";

export type ImportScene = { readonly service: TestService; readonly agency: TestAgency };

/** The service and an agency that it imports from; both end after the tests of the file. */
export function useImports(
  options: TestAgencyOptions = {},
  variables: Readonly<Record<string, string>> = {},
  serviceOptions: UseServiceOptions = {},
): ImportScene {
  let agency: TestAgency | undefined;
  beforeAll(async () => {
    agency = await startTestAgency(options);
  });
  // Registered before those of the service, so it runs after them.
  afterAll(async () => {
    await agency?.close();
  });
  const there = (): TestAgency => {
    if (agency === undefined) throw new Error("the agency is there only while tests run");
    return agency;
  };
  const configured = () => ({
    AGENCY_URL: there().url,
    AGENCY_NAME: "Test agency",
    AGENCY_RETRIES: "0",
    // On a busy machine an answer may take its time.
    AGENCY_TIMEOUT: "600",
    ...variables,
  });
  const service = useService(configured, serviceOptions);
  return {
    service,
    get agency() {
      return there();
    },
  };
}

/** All that generated catalogues have. */
export const EVERYTHING = { startDate: "2014-01-01", endDate: "2024-01-01" };

export function importEvents(
  client: ApiClient,
  body: Readonly<Record<string, unknown>> = EVERYTHING,
  headers: Record<string, string> = {},
): Promise<ApiAnswer<ImportResult>> {
  return client.send<ImportResult>("POST", "/api/import/agency", body, headers);
}

/** @throws Error where it is not answered 200 */
export async function imported(
  client: ApiClient,
  body: Readonly<Record<string, unknown>> = {},
): Promise<ImportResult> {
  const answer = await importEvents(client, { ...EVERYTHING, ...body });
  if (answer.status !== 200) throw new Error(`importing answered ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export async function historyOf(
  client: ApiClient,
  catalogueId: string,
): Promise<readonly ImportRecord[]> {
  const path = `/api/import/history?catalogueId=${catalogueId}`;
  return (await client.get<ImportRecord[]>(path)).body;
}

export async function eventsOf(
  client: ApiClient,
  catalogueId: string,
): Promise<Map<string, SeismicEvent>> {
  const { body } = await client.get<{ events: SeismicEvent[] }>(
    `/api/catalogues/${catalogueId}/export?format=json`,
  );
  return new Map(body.events.map((event) => [event.source_id ?? event.id, event]));
}
