import type { CommonQueryMethods } from "slonik";
import type { AgencySettings } from "#contracts/agency.ts";
import { agencySlug, REQUESTS_AT_ONCE } from "#contracts/agency-limits.ts";
import { AGENCY_PRESETS } from "#contracts/agency-presets.ts";
import { invalid } from "#contracts/errors.ts";
import type { Agency } from "#contracts/http/agencies.ts";
import {
  type AddressGuard,
  AddressRefused,
  createAddressGuard,
} from "#infra/agency/http/address-guard.ts";
import type { PushSource } from "#infra/agency/push.ts";
import { dialectOf } from "#infra/agency/query.ts";
import type { Config } from "#infra/config/config.ts";
import { settledWithin } from "#infra/kernel/waiting.ts";
import { listStoredAgencies } from "#projections/read/imports.ts";
import type { AgencyOptions } from "../commands/import/import-worker.ts";

/** How long something that must be answered in any case waits for the list. */
const LATELY_MS = 1_000;

export type AgenciesDeps = {
  readonly pool: CommonQueryMethods;
  readonly config: Pick<
    Config,
    | "agencyUrl"
    | "agencyName"
    | "agencyDialect"
    | "agencyTimeoutMs"
    | "agencyRetries"
    | "agencyAddresses"
    | "maxUploadBytes"
  >;
  /** Name, version and address of the service. */
  readonly userAgent: string;
};

/** The agencies of this installation, each with the settings that it has now. */
export type Agencies = {
  /** That of the configuration, which is asked where none is named. */
  readonly first: Agency;
  /** The first, then the others by name. */
  readonly list: () => Promise<readonly Agency[]>;
  /** Those that may be asked, the first one first, as they were last known where the database does not answer soon. */
  readonly lately: () => Promise<readonly Agency[]>;
  /** Whether an id cannot be given to another: also that of a preset that is not listed beside the first. */
  readonly isTaken: (id: string) => Promise<boolean>;
  /**
   * Checks where the addresses of settings lead, also by their names.
   * @throws Refusal VALIDATION_ERROR
   */
  readonly requireOutward: (settings: Pick<AgencySettings, "url" | "push">) => Promise<void>;
  /** Null for an unknown one. */
  readonly find: (id: string) => Promise<Agency | null>;
  /**
   * How an agency is asked; the first where none is named.
   * @throws Refusal VALIDATION_ERROR for one that is unknown, not enabled, or no event service
   */
  readonly toAsk: (id?: string) => Promise<AgencyOptions>;
  /** Those that may be asked, and send messages by themselves. */
  readonly toHear: () => Promise<readonly PushSource[]>;
  /**
   * How an agency, or the file that it is, is asked by a schedule.
   * @throws Refusal VALIDATION_ERROR for one that is unknown or not enabled
   */
  readonly toSchedule: (id: string) => Promise<AgencyOptions>;
};

export function createAgencies({ pool, config, userAgent }: AgenciesDeps): Agencies {
  const first = firstAgency(config);
  const guard = createAddressGuard(config.agencyAddresses);
  const common = {
    userAgent,
    timeoutMs: config.agencyTimeoutMs,
    retries: config.agencyRetries,
  };

  /** The operator's word for the first one's address is enough. */
  const guarded = (id: string) => id !== first.id && { addresses: config.agencyAddresses };

  const list = async (): Promise<readonly Agency[]> => {
    const stored = await listStoredAgencies(pool);
    const others = [
      ...stored.map(
        (agency): Agency => ({ ...agency, kind: isPreset(agency.id) ? "preset" : "added" }),
      ),
      ...presetsBeside([first.id, ...stored.map(({ id }) => id)], first.url),
    ].filter(({ id }) => id !== first.id);
    return [first, ...others.toSorted((a, b) => a.name.localeCompare(b.name, "en"))];
  };
  const find = async (id: string): Promise<Agency | null> => {
    if (id === first.id) return first;
    return (await list()).find((agency) => agency.id === id) ?? null;
  };
  const toSchedule = async (id: string): Promise<AgencyOptions> => {
    const agency = await find(id);
    if (agency === null) throw invalid("agency", "there is no such agency");
    const { name, url, dialect, enabled, requestsAtOnce, maxPerRequest } = agency;
    if (!enabled) throw invalid("agency", `${name} is not enabled`);
    return {
      ...common,
      id,
      name,
      url,
      ...(dialect === "table" ? { fileBytes: config.maxUploadBytes } : { dialect }),
      requestsAtOnce,
      ...(maxPerRequest !== null && { cap: maxPerRequest }),
      ...guarded(id),
    };
  };

  const toHear = async (): Promise<readonly PushSource[]> =>
    (await list()).flatMap(({ id, enabled, dialect, push }) => {
      if (!enabled || push === null || dialect === "table") return [];
      return [{ id, address: push, userAgent, ...guarded(id) }];
    });
  const toAsk = async (id: string = first.id): Promise<AgencyOptions> => {
    const agency = await toSchedule(id);
    if (agency.fileBytes === undefined) return agency;
    throw invalid("agency", `${agency.name} is a file, not an event service`);
  };

  let known: readonly Agency[] = [first];
  const lately = async (): Promise<readonly Agency[]> => {
    const read = list().then((all) => {
      known = all.filter(({ enabled }) => enabled);
    });
    await settledWithin(read, LATELY_MS);
    return known;
  };

  return {
    first,
    list,
    lately,
    isTaken: async (id) => isPreset(id) || (await find(id)) !== null,
    requireOutward: ({ url, push }) => requireOutward(guard, { url, push }),
    find,
    toAsk,
    toHear,
    toSchedule,
  };
}

async function requireOutward(
  guard: AddressGuard,
  addresses: Readonly<Record<string, string | null>>,
): Promise<void> {
  for (const [field, address] of Object.entries(addresses)) {
    if (address === null) continue;
    await guard.requireResolved(new URL(address)).catch((error: unknown) => {
      throw error instanceof AddressRefused ? invalid(field, error.message) : error;
    });
  }
}

function firstAgency({ agencyName, agencyUrl, agencyDialect }: AgenciesDeps["config"]): Agency {
  return {
    id: agencySlug(agencyName),
    kind: "first",
    name: agencyName,
    url: agencyUrl,
    dialect: agencyDialect ?? dialectOf(agencyUrl),
    enabled: true,
    maxPerRequest: null,
    requestsAtOnce: REQUESTS_AT_ONCE,
    push: null,
    push_since: null,
  };
}

const isPreset = (id: string): boolean => Object.hasOwn(AGENCY_PRESETS, id);

/** Those known beforehand that are not there already, by their id or as the first one. */
function presetsBeside(ids: readonly string[], firstUrl: string): Agency[] {
  return Object.entries(AGENCY_PRESETS)
    .filter(([id, { url }]) => !ids.includes(id) && url !== firstUrl)
    .map(([id, settings]) => ({ id, ...settings, kind: "preset", push_since: null }));
}
