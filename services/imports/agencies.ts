/** The agencies that imports ask, what their requests have in common, and who asks them. */

import type { CommonQueryMethods } from "slonik";
import { ERRORS, invalid, Refusal } from "#contracts/errors.ts";
import { agencySlug, REQUESTS_AT_ONCE } from "#contracts/events/agencies.ts";
import type { ImportFailure } from "#contracts/events/catalogues.ts";
import {
  AGENCY_PRESETS,
  type AgencySettings,
  NOTHING_IMPORTED,
} from "#contracts/events/imports.ts";
import { agencyStream } from "#contracts/events/log.ts";
import type { Agency } from "#contracts/http/imports.ts";
import { createAddressGuard, requireOutward } from "#infra/agency/http/address-guard.ts";
import { type CircuitState, createCircuitBreaker } from "#infra/agency/http/exchange.ts";
import type { PushSource } from "#infra/agency/push.ts";
import { dialectOf } from "#infra/agency/query.ts";
import type { Config } from "#infra/config/config.ts";
import { type Asker, createRequestSlots } from "#infra/kernel/fair-queue.ts";
import { settledWithin } from "#infra/kernel/waiting.ts";
import { isScheduled, listStoredAgencies } from "#projections/read/imports.ts";
import {
  ABSENT,
  addAgency,
  changeAgency,
  checkedSettings,
  evolve,
  removeAgency,
} from "#services/domain/imports/agency.ts";
import { type ChunkStream, useChunks } from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import { createDecider } from "../streams.ts";
import type { GatewayThreads } from "../threads.ts";
import { type AgencyGate, createGateKeeper } from "./gate.ts";
import type { AgencyOptions, ImportEnd, ImportProgress, ImportTask } from "./worker.ts";

/** How long something that must be answered in any case waits for the list. */
const LATELY_MS = 1_000;

type AgenciesDeps = {
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

export type Agencies = ReturnType<typeof createAgencies>;

/** The agencies of this installation, each with the settings that it has now. */
export function createAgencies({ pool, config, userAgent }: AgenciesDeps) {
  const first = firstAgency(config);
  const guard = createAddressGuard(config.agencyAddresses);
  const common = {
    userAgent,
    timeoutMs: config.agencyTimeoutMs,
    retries: config.agencyRetries,
  };
  let enabled: readonly Agency[] = [first];

  /** The operator's word for the first one's address is enough. */
  const guarded = (id: string) => id !== first.id && { addresses: config.agencyAddresses };

  /** The first, then the others by name. */
  async function list(): Promise<readonly Agency[]> {
    const stored = await listStoredAgencies(pool);
    const others = [
      ...stored.map(
        (agency): Agency => ({ ...agency, kind: isPreset(agency.id) ? "preset" : "added" }),
      ),
      ...presetsBeside([first.id, ...stored.map(({ id }) => id)], first.url),
    ].filter(({ id }) => id !== first.id);
    return [first, ...others.toSorted((a, b) => a.name.localeCompare(b.name, "en"))];
  }

  /** Null for an unknown one. */
  async function find(id: string): Promise<Agency | null> {
    if (id === first.id) return first;
    return (await list()).find((agency) => agency.id === id) ?? null;
  }

  /**
   * How an agency, or the file that it is, is asked by a schedule.
   * @throws Refusal VALIDATION_ERROR for one that is unknown or not enabled
   */
  async function toSchedule(id: string): Promise<AgencyOptions> {
    const agency = await find(id);
    if (agency === null) throw invalid("agency", "there is no such agency");
    const { name, url, dialect, requestsAtOnce, maxPerRequest } = agency;
    if (!agency.enabled) throw invalid("agency", `${name} is not enabled`);
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
  }

  return {
    /** That of the configuration, which is asked where none is named. */
    first,
    list,
    find,
    toSchedule,
    /** Those that may be asked, the first one first, as they were last known where the database does not answer soon. */
    async lately(): Promise<readonly Agency[]> {
      const read = list().then((all) => {
        enabled = all.filter((agency) => agency.enabled);
      });
      await settledWithin(read, LATELY_MS);
      return enabled;
    },
    /** Whether an id cannot be given to another: also that of a preset that is not listed beside the first. */
    isTaken: async (id: string) => isPreset(id) || (await find(id)) !== null,
    /**
     * Checks where the addresses of settings lead, also by their names.
     * @throws Refusal VALIDATION_ERROR
     */
    async requireOutward({ url, push }: Pick<AgencySettings, "url" | "push">): Promise<void> {
      for (const [field, address] of Object.entries({ url, push })) {
        if (address !== null) await requireOutward(guard, field, address);
      }
    },
    /**
     * How an agency is asked; the first where none is named.
     * @throws Refusal VALIDATION_ERROR for one that is unknown, not enabled, or no event service
     */
    async toAsk(id: string = first.id): Promise<AgencyOptions> {
      const agency = await toSchedule(id);
      if (agency.fileBytes === undefined) return agency;
      throw invalid("agency", `${agency.name} is a file, not an event service`);
    },
    /** Those that may be asked, and send messages by themselves. */
    async toHear(): Promise<readonly PushSource[]> {
      return (await list()).flatMap(({ id, enabled: mayBeAsked, dialect, push }) => {
        if (!mayBeAsked || push === null || dialect === "table") return [];
        return [{ id, address: push, userAgent, ...guarded(id) }];
      });
    },
  };
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

export type AgencyCircuits = ReturnType<typeof createAgencyCircuits>;

/** The circuits of the agencies that may be asked. */
export function createAgencyCircuits(
  { first: { id: firstId, name: firstName }, lately }: Pick<Agencies, "first" | "lately">,
  { state }: Pick<AgencyGates, "state">,
) {
  const first = () => state(firstId);
  const further = async () =>
    (await lately()).filter(({ id }) => id !== firstId).map(({ id }) => ({ id, state: state(id) }));
  return {
    first,
    further,
    /** The first one's by the agency's name, the others' by their ids. */
    async byName(): Promise<Readonly<Record<string, CircuitState>>> {
      const others = (await further()).map((circuit) => [circuit.id, circuit.state] as const);
      return { ...Object.fromEntries(others), [firstName]: first() };
    },
  };
}

/** What the requests of one agency have in common; an agency that is changed begins anew. */
type GateOptions = Pick<AgencyOptions, "id" | "name" | "url" | "requestsAtOnce">;

export type AgencyGates = ReturnType<typeof createAgencyGates>;

/** A circuit breaker and request slots for each agency, over all imports of this process. */
export function createAgencyGates() {
  const present = new Map<string, { readonly options: GateOptions; readonly gate: Gate }>();
  const opened: Gate[] = [];

  return {
    of(options: GateOptions): AgencyGate {
      const known = present.get(options.id);
      if (known && isSame(known.options, options)) return known.gate;
      const gate = openGate(options);
      // Runs of before the change have theirs.
      opened.push(gate);
      present.set(options.id, { options, gate });
      return gate;
    },
    /** Of an agency's circuit; one that was never asked is CLOSED. */
    state: (agencyId: string): CircuitState =>
      present.get(agencyId)?.gate.breaker.state() ?? "CLOSED",
    /** Stops the timers. */
    close(): void {
      for (const { breaker } of opened) breaker.close();
    },
  };
}

type Gate = ReturnType<typeof openGate>;

function openGate({ name, requestsAtOnce }: GateOptions) {
  // Counts every error that it is given: imports pass on only failures of the agency.
  return {
    breaker: createCircuitBreaker({ name }),
    slots: createRequestSlots(requestsAtOnce),
  };
}

function isSame(one: GateOptions, other: GateOptions): boolean {
  return (
    one.name === other.name && one.url === other.url && one.requestsAtOnce === other.requestsAtOnce
  );
}

type AgencyDeps = { readonly context: CommandContext; readonly agencies: Agencies };

const decide = createDecider("catalogues", agencyStream, { initial: ABSENT, evolve });

/** @throws Refusal MISSING_NAME, VALIDATION_ERROR; CONFLICT for an id that is taken */
export async function createAgencyCommand(
  { context, agencies }: AgencyDeps,
  command: Command,
  agencyId: string,
  wanted: AgencySettings,
): Promise<void> {
  if (!command.retried && (await agencies.isTaken(agencyId))) {
    throw new Refusal("CONFLICT", "There is an agency with this id");
  }
  const settings = checkedSettings(wanted);
  await agencies.requireOutward(settings);
  await decide(context, command, agencyId, (state) => addAgency(state, agencyId, settings));
}

/** @throws Refusal NOT_FOUND, MISSING_NAME, VALIDATION_ERROR; CONFLICT for the first agency */
export async function updateAgencyCommand(
  { context, agencies }: AgencyDeps,
  command: Command,
  agencyId: string,
  change: Partial<AgencySettings>,
): Promise<void> {
  const { id: _, kind, push_since: _since, ...before } = await changeable(agencies, agencyId);
  const after = checkedSettings({ ...before, ...change });
  // One whose name leads inward by now can still be turned off.
  const isMoved = after.url !== before.url || after.push !== before.push;
  if (after.enabled || isMoved) await agencies.requireOutward(after);
  const isPreset = kind === "preset";
  await decide(context, command, agencyId, (state) =>
    changeAgency(state, agencyId, { before, after, isPreset }),
  );
}

/** @throws Refusal NOT_FOUND; CONFLICT for the first agency, for one known beforehand, and for one of a schedule */
export async function deleteAgencyCommand(
  { context, agencies }: AgencyDeps,
  command: Command,
  agencyId: string,
): Promise<void> {
  if (!command.retried) {
    const { kind } = await changeable(agencies, agencyId);
    if (kind === "preset") {
      throw new Refusal("CONFLICT", "An agency that is known beforehand can only be turned off");
    }
    if (await isScheduled(context.pool, agencyId)) {
      throw new Refusal("CONFLICT", "A schedule asks this agency");
    }
  }
  await decide(context, command, agencyId, (state) => removeAgency(state, agencyId));
}

/** @throws Refusal NOT_FOUND; CONFLICT for the first agency */
async function changeable(agencies: Agencies, agencyId: string) {
  const agency = await agencies.find(agencyId);
  if (agency === null) throw new Refusal("NOT_FOUND", "Agency not found");
  if (agency.kind === "first") {
    throw new Refusal("CONFLICT", "The agency of the configuration is changed there alone");
  }
  return agency;
}

/**
 * Imports in a worker thread and passes the changes to `use`, in chunks; their end has the result or the agency's
 * failure.
 * @throws the signal's reason; errors of `use`
 */
export type Importer = <T>(
  task: ImportTask,
  run: Asker & { readonly onProgress: (progress: ImportProgress) => void },
  use: (running: ChunkStream<ImportEnd>) => Promise<T>,
) => Promise<T>;

/** @param gateOf shared by all imports of this process from the agency */
export function createImporter(
  threads: GatewayThreads["imports"],
  gateOf: AgencyGates["of"],
): Importer {
  return (task, { onProgress, ...asker }, use) => {
    const answer = createGateKeeper(gateOf(task.agency));
    const items = threads.stream("streamImported", task, asker, { answer });
    let progress: ImportProgress = { windows: { done: 0, total: 0 }, tally: NOTHING_IMPORTED };
    const follow = (next: ImportProgress): void => {
      progress = next;
      onProgress(progress);
    };
    return useChunks(
      items,
      ({ chunks, end }) =>
        use({
          chunks,
          async end() {
            const result = await end();
            follow({ ...progress, tally: result.tally });
            return result;
          },
        }),
      ({ news: { windows, tally } }) => {
        const errors = [...progress.tally.errors, ...tally.errors];
        follow({ windows, tally: { ...tally, errors } });
      },
    );
  };
}

/** An import failed after it had begun; its run is in the catalogue's history. */
export class ImportFailed extends Error {
  override readonly name = "ImportFailed";
  readonly catalogueId: string;

  /** @param cause the error reported to the client */
  constructor(catalogueId: string, cause: unknown) {
    super("the import failed", { cause });
    this.catalogueId = catalogueId;
  }
}

/** The agency did not provide the requested events: `AGENCY_…`, `CIRCUIT_OPEN`. */
export class AgencyFailed extends Refusal {}

/** A failure as the history shows it, without the service's own faults. */
export function failureOf(cause: unknown, signal: AbortSignal): ImportFailure {
  if (signal.aborted) {
    const { reason } = signal;
    const why = reason instanceof Error ? reason.message : String(reason);
    return { code: null, message: `The import was given up: ${why}` };
  }
  if (cause instanceof AgencyFailed) return { code: cause.code, message: cause.message };
  if (cause instanceof Refusal) return { code: null, message: cause.message };
  return { code: "INTERNAL_ERROR", message: ERRORS.INTERNAL_ERROR.text };
}
