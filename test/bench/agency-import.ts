import type { ImportResult } from "#contracts/http/imports.ts";
import type { ApiClient } from "../support/api-client.ts";
import { startBenchAgency } from "./bench-agency.ts";
import { type BenchService, startBenchService } from "./bench-service.ts";

const EVERYTHING = { startDate: "2014-01-01", endDate: "2024-01-01" };

/** What an import asks for: FDSN text, or QuakeML. */
export type Detail = "summary" | "full";

/** A service of its own beside an agency of `count` generated events with `picks` picks each. */
export async function withAgency<T>(
  count: number,
  picks: number,
  use: (bench: BenchService) => Promise<T>,
): Promise<T> {
  const agency = await startBenchAgency(count, picks);
  const bench = await startBenchService({ AGENCY_URL: agency.url, AGENCY_NAME: "bench agency" });
  try {
    return await use(bench);
  } finally {
    await bench.close();
    await agency.close();
  }
}

/** Imports all that the agency has, and sees it; the catalogue's id. */
export async function importAll(client: ApiClient, detail: Detail, count: number): Promise<string> {
  const { status, body } = await client.send<ImportResult>("POST", "/api/import/agency", {
    ...EVERYTHING,
    detail,
  });
  if (status !== 200 || body.newEvents !== count) {
    throw new Error(`importing answered ${status} ${JSON.stringify(body)}`);
  }
  const page = await client.get<{ total: number }>(
    `/api/catalogues/${body.catalogueId}/events?pageSize=1`,
  );
  if (page.body.total !== count) throw new Error("what was imported is not visible");
  return body.catalogueId;
}
