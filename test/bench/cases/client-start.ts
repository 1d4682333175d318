import type { ApiClient } from "../../support/api-client.ts";
import { importAll, withAgency } from "../agency-import.ts";
import { catalogueOf } from "../bench-catalogue.ts";
import { type Result, within } from "../report.ts";

/** ObsPy waits longer, but a start beyond it is felt. */
const START_MS = 1_000;

/** What ObsPy's client asks for at once when it is made; two of them are not there. */
const START_REQUESTS = [
  "dataselect/1/application.wadl",
  "station/1/application.wadl",
  "event/1/application.wadl",
  "event/1/catalogs",
  "event/1/contributors",
];

/** The slowest start of ObsPy's client at a large catalogue, the first among them, during an import. */
export async function benchClientStart(events: number, imported: number): Promise<Result> {
  return withAgency(imported, 0, async ({ client }) => {
    const base = `/api/catalogues/${await catalogueOf(client, events)}/fdsnws`;
    let isImporting = true;
    const importing = importAll(client, "full", imported).finally(() => {
      isImporting = false;
    });
    const figures: number[] = [];
    while (isImporting) figures.push(await startAt(client, base));
    await importing;
    return {
      case: "event service, slowest start of ObsPy while importing",
      size: `${events} events`,
      unit: "ms",
      ...within(START_MS, [Math.max(...figures)]),
    };
  });
}

/** Milliseconds until all start requests are answered. */
async function startAt(client: ApiClient, base: string): Promise<number> {
  const started = performance.now();
  const answers = START_REQUESTS.map(async (path) => {
    const { status } = await client.get(`${base}/${path}`);
    const expected = path.startsWith("event") ? 200 : 404;
    if (status !== expected) throw new Error(`${path} answered ${status}`);
  });
  await Promise.all(answers);
  return performance.now() - started;
}
