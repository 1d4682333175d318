import type { Schedule } from "#contracts/http/imports.ts";
import type { ApiAnswer, ApiClient } from "../api-client.ts";

type One = { readonly schedule: Schedule };

/** Asks for a schedule of the agency of the configuration, hourly for the last day. */
export function askForSchedule(
  client: ApiClient,
  catalogueId: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<ApiAnswer<One>> {
  const asked = { agency: "geonet", everyMinutes: 60, lookbackHours: 24, ...settings };
  return client.send<One>("POST", "/api/schedules", { catalogueId, ...asked });
}

/** @returns its id */
export async function newSchedule(
  client: ApiClient,
  catalogueId: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { status, body } = await askForSchedule(client, catalogueId, settings);
  if (status !== 201) throw new Error(`making a schedule answered ${JSON.stringify(body)}`);
  return body.schedule.id;
}

export async function scheduleOf(client: ApiClient, id: string): Promise<Schedule> {
  return (await client.get<One>(`/api/schedules/${id}`)).body.schedule;
}
