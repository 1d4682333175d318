import type { TestAgency } from "../support/agency/test-agency.ts";
import type { ApiClient } from "../support/api-client.ts";

/** What is asked of the agency here, which has events of 2015 to 2022. */
const ASKED = { lookbackHours: 87_600, minMagnitude: 2, withdrawn: "mark" };

const ROUND_MS = 100;

/**
 * Makes a catalogue that is kept current from an agency, with runs that brought something, failed and found
 * everything as it was, and a schedule that waits.
 * @param agencyId under which the service knows the agency
 * @returns the catalogue and its schedule with runs
 */
export async function keptCurrent(client: ApiClient, agency: TestAgency, agencyId: string) {
  const { body: catalogue } = await client.send<{ id: string }>("POST", "/api/catalogues", {
    name: "New Zealand",
    events: [],
  });
  const make = async (settings: object) => {
    const body = { catalogueId: catalogue.id, agency: agencyId, ...ASKED, ...settings };
    const answer = await client.send<{ schedule: { id: string } }>("POST", "/api/schedules", body);
    return answer.body.schedule.id;
  };
  const waiting = await make({ everyMinutes: 1_440, minMagnitude: 5, maxDepth: 40 });
  await client.send("PATCH", `/api/schedules/${waiting}`, { paused: true });
  const schedule = await make({ everyMinutes: 60 });
  await run(client, schedule);
  agency.fail(() => ({ kind: "status", status: 503 }));
  await run(client, schedule);
  agency.fail();
  for (let quiet = 0; quiet < 3; quiet++) await run(client, schedule);
  return { catalogue: catalogue.id, schedule };
}

/** A run by hand, to its end. */
async function run(client: ApiClient, schedule: string): Promise<void> {
  const { body } = await client.send<{ operationId: string }>(
    "POST",
    `/api/schedules/${schedule}/run`,
  );
  const path = `/api/operations/${body.operationId}`;
  const isRunning = async () => {
    const answer = await client.get<{ operation: { status: string } }>(path);
    return answer.body.operation.status === "running";
  };
  while (await isRunning()) await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
}
