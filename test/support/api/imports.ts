import { randomUUID } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import type { ImportRecord, ImportResult, Schedule } from "#contracts/http/imports.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ServedEvent } from "../agency/served-catalogue.ts";
import { startTestAgency, type TestAgency, type TestAgencyOptions } from "../agency/test-agency.ts";
import type { ApiAnswer, ApiClient } from "../api-client.ts";
import { type TestService, type UseServiceOptions, useService } from "../service.ts";

type Settings = Readonly<Record<string, unknown>>;
type OwnScene = { readonly service: TestService; readonly agency: TestAgency };

/** A test agency for the tests of the file. */
function useTestAgency(options: TestAgencyOptions): () => TestAgency {
  let agency: TestAgency | undefined;
  beforeAll(async () => {
    agency = await startTestAgency(options);
  });
  // Registered before those of a service, so it runs after them.
  afterAll(async () => {
    await agency?.close();
  });
  return () => {
    if (agency === undefined) throw new Error("the agency is there only while tests run");
    return agency;
  };
}

/** A service of the file alone whose configuration has a test agency. */
export function useImports(
  options: TestAgencyOptions = {},
  variables: Readonly<Record<string, string>> = {},
  serviceOptions: UseServiceOptions = {},
): OwnScene {
  const there = useTestAgency(options);
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

export type AgencyScene = {
  readonly id: string;
  readonly agency: TestAgency;
  /** What it has from now on. */
  readonly serve: (...events: readonly ServedEvent[]) => void;
  /** Asks for an import from it. */
  readonly ask: typeof importEvents;
  /** @throws Error where the import is not answered 200 */
  readonly imported: typeof imported;
};

/** A test agency that an administrator adds to the shared service, until the tests of the file have ended. */
export function useAgency(
  service: TestService,
  options: TestAgencyOptions = {},
  settings: Settings = {},
): AgencyScene {
  const there = useTestAgency(options);
  const id = `test-${randomUUID()}`;
  beforeAll(async () => {
    const admin = await service.loginAs("admin");
    const form = { id, name: "Test agency", url: there().url, dialect: "fdsn", ...settings };
    const { status, body } = await admin.send("POST", "/api/agencies", form);
    if (status !== 201) throw new Error(`adding an agency answered ${JSON.stringify(body)}`);
  });
  afterAll(async () => {
    const admin = await service.loginAs("admin");
    const { body } = await admin.get<{ schedules: Schedule[] }>("/api/schedules?limit=100");
    for (const schedule of body.schedules.filter(({ agency }) => agency === id)) {
      await admin.send("DELETE", `/api/schedules/${schedule.id}`);
    }
    await admin.send("DELETE", `/api/agencies/${id}`);
  });
  return {
    id,
    get agency() {
      return there();
    },
    serve: (...events) => serve(there(), ...events),
    ask: (client, body = EVERYTHING, headers = {}) =>
      importEvents(client, { agency: id, ...body }, headers),
    imported: (client, body = {}) => imported(client, { agency: id, ...body }),
  };
}

export function serve({ catalogue }: TestAgency, ...events: readonly ServedEvent[]): void {
  for (const { row } of catalogue.events()) catalogue.replace(String(row["source_id"]), null);
  catalogue.add(...events);
}

/** All that generated catalogues have. */
export const EVERYTHING = { startDate: "2014-01-01", endDate: "2024-01-01" };

export function importEvents(
  client: ApiClient,
  body: Settings = EVERYTHING,
  headers: Record<string, string> = {},
): Promise<ApiAnswer<ImportResult>> {
  return client.send<ImportResult>("POST", "/api/import/agency", body, headers);
}

/** @throws Error where it is not answered 200 */
export async function imported(client: ApiClient, body: Settings = {}): Promise<ImportResult> {
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

/** The events of a catalogue by their source ids. */
export async function eventsOf(
  client: ApiClient,
  catalogueId: string,
): Promise<Map<string, SeismicEvent>> {
  const { body } = await client.get<{ events: SeismicEvent[] }>(
    `/api/catalogues/${catalogueId}/export?format=json`,
  );
  return new Map(body.events.map((event) => [event.source_id ?? event.id, event]));
}
