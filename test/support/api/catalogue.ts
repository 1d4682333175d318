import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { ValidationReport } from "#contracts/http/event-bodies.ts";
import type { CatalogueAccess, Editing } from "#contracts/rights.ts";
import type { ApiClient } from "../api-client.ts";

export type CreatedCatalogue = Catalogue & {
  readonly importMessage: string;
  readonly partialImport: boolean;
  readonly validationReport: ValidationReport;
};

/** Any event that is valid as it stands; `overrides` are its members as submitted. */
export function seismicEvent(overrides: Readonly<Record<string, unknown>> = {}) {
  return {
    time: "2016-11-13T11:02:56.346Z",
    latitude: -42.69,
    longitude: 173.02,
    depth: 15.1,
    magnitude: 7.8,
    ...overrides,
  };
}

export type CatalogueForm = {
  readonly name?: string;
  readonly is_public?: boolean;
  readonly access?: CatalogueAccess;
  readonly editing?: Editing;
  readonly events?: readonly unknown[];
};

/** A catalogue with one event unless the form says otherwise. */
export async function createCatalogue(
  client: ApiClient,
  form: CatalogueForm = {},
): Promise<CreatedCatalogue> {
  const body = { name: "Kaikōura", events: [seismicEvent()], ...form };
  const answer = await client.send<CreatedCatalogue>("POST", "/api/catalogues", body);
  if (answer.status !== 201) throw new Error(`creating answered ${JSON.stringify(answer.body)}`);
  return answer.body;
}
