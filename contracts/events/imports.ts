/**
 * What the log has of imports: runs and schedules, which stand in the events of a catalogue, and
 * agencies with their own events.
 */

import { z } from "zod";
import { REQUESTS_AT_ONCE } from "./agencies.ts";
import type { EventOf } from "./log.ts";

/** What an import requests from the agency, in km and degrees: bounds inclusive, null for none. */
export const ImportFilters = z.object({
  minMagnitude: z.number().nullable(),
  maxMagnitude: z.number().nullable(),
  minDepth: z.number().nullable(),
  maxDepth: z.number().nullable(),
  minLatitude: z.number().nullable(),
  maxLatitude: z.number().nullable(),
  /** Above `maxLongitude` for a box across the antimeridian. */
  minLongitude: z.number().nullable(),
  maxLongitude: z.number().nullable(),
  /** WKT, and the id of a saved region: both hold where both are given. Absent in older events. */
  polygon: z.string().nullable().optional(),
  region: z.uuid().nullable().optional(),
});
export type ImportFilters = z.infer<typeof ImportFilters>;

/** ISO 8601 UTC; both ends inclusive. */
export const ImportWindow = z.object({ start: z.string(), end: z.string() });
export type ImportWindow = z.infer<typeof ImportWindow>;

/** `full`: QuakeML with everything the agency has. `summary`: FDSN text, which is smaller. */
export const ImportDetail = z.enum(["full", "summary"]);
export type ImportDetail = z.infer<typeof ImportDetail>;

/** A problem of an import and its place: an unusable event, or the run itself. */
export const ImportError = z
  .object({
    message: z.string(),
    source_id: z.string().optional().describe("the agency's id of the event, where it is known"),
    line: z
      .int()
      .optional()
      .describe("of the answer, from 1: where the event begins; absent in older runs"),
    where: z.string().optional().describe("which answer that is, and its line, for a person"),
    code: z.string().optional().describe("why the run failed; no event's error has it"),
  })
  .meta({ id: "ImportError" });
export type ImportError = z.infer<typeof ImportError>;

/** Why events were skipped; the counts add up to `skippedEvents`. */
export const SkippedReasons = z
  .object({
    existing: z.int().describe("there already, and not to be updated"),
    unchanged: z.int().describe("there already, as they are"),
    excluded: z.int().describe("of type not existing or duplicate"),
    rejected: z.int().describe("of evaluation status rejected"),
  })
  .meta({ id: "SkippedReasons" });
export type SkippedReasons = z.infer<typeof SkippedReasons>;

/** Every fetched event is counted once: in one of the other counts or among the errors. */
export const ImportCounts = z.object({
  totalFetched: z.int(),
  newEvents: z.int(),
  updatedEvents: z.int(),
  skippedEvents: z.int(),
});

/**
 * What becomes of an event that the agency delivered once and has no more: it stays as it is, gets the
 * time in `extra.withdrawn_at`, or is removed.
 */
export const WithdrawnHandling = z.enum(["keep", "mark", "remove"]);
export type WithdrawnHandling = z.infer<typeof WithdrawnHandling>;

const ElementTally = z
  .object({ read: z.int(), kept: z.int(), dropped: z.int() })
  .meta({ id: "ElementTally" });

/** The elements of bulletins by kind; kinds that there were not are left out. */
export const ElementTalliesBody = z
  .record(z.string(), ElementTally)
  .describe("of bulletins, by QuakeML's names; absent where there were none");

/** A row of a file whose id no event has or had. */
export const UnmatchedRow = z
  .object({ line: z.int().describe("of the file, from 1"), id: z.string() })
  .meta({ id: "UnmatchedRow" });

/** Progress of an import: `totalFetched` = new + updated + skipped + `errors.length`. */
export const ImportTally = ImportCounts.extend({
  skippedReasons: SkippedReasons,
  withdrawnEvents: z
    .int()
    .optional()
    .describe("marked or removed, as the agency has them no more; absent where there are none"),
  withheld: z
    .int()
    .optional()
    .describe("missing at the agency, but too many to be withdrawn; absent where there are none"),
  unmatched: z
    .array(UnmatchedRow)
    .optional()
    .describe("of a join: rows that are about no event and make nothing, the first 100"),
  unmatchedCount: z.int().optional(),
  errors: z.array(ImportError),
  elements: ElementTalliesBody.optional(),
});
export type ImportTally = z.infer<typeof ImportTally>;

export const NOTHING_IMPORTED: ImportTally = {
  totalFetched: 0,
  newEvents: 0,
  updatedEvents: 0,
  skippedEvents: 0,
  skippedReasons: { existing: 0, unchanged: 0, excluded: 0, rejected: 0 },
  errors: [],
};

/** Most of them that are listed. */
export const MAX_LISTED_UNMATCHED = 100;

export type UnmatchedRow = z.infer<typeof UnmatchedRow>;

/** How the file of an agency of dialect `table` is read. */
export const TableReading = z.object({
  /** By what its rows are joined to events that are there; without it they are imported. */
  join: z.literal("source_id").optional(),
  /** What its columns are, as at an upload (`contracts/http/uploads.ts`). */
  columns: z
    .record(
      z.string(),
      z
        .union([z.string(), z.object({ attribute: z.string(), unit: z.string().optional() })])
        .nullable(),
    )
    .optional(),
});
export type TableReading = z.infer<typeof TableReading>;

/** What a schedule asks its agency for and how often, and what is done with the answers. */
export const ScheduleSettings = z.object({
  /** Id of the agency. */
  agency: z.string(),
  everyMinutes: z.int().positive(),
  /** How far the window of a run reaches back. */
  lookbackHours: z.int().positive(),
  filters: ImportFilters,
  detail: ImportDetail,
  updateExisting: z.boolean(),
  withdrawn: WithdrawnHandling,
  push: z.boolean(),
  ...TableReading.shape,
  paused: z.boolean(),
  /** Why the service paused it, a sentence; null where it runs, or somebody paused it. */
  pausedBecause: z.string().nullable(),
});
export type ScheduleSettings = z.infer<typeof ScheduleSettings>;

/** Events that a run has not withdrawn, though the agency has them no more, since they would be too many. */
export const WithheldEvents = z.object({
  /** What is said of it, a sentence. */
  why: z.string(),
  /** How many whole runs in a row have missed them, by their ids; of many the first. */
  missed: z.record(z.string(), z.int()),
});
export type WithheldEvents = Readonly<z.infer<typeof WithheldEvents>>;

/** The service, or the file, that an agency's answers come from; and what the region is in which they lie. */
type AnswerSource = {
  readonly url: string;
  readonly dialect?: string | undefined;
  readonly regionArea?: { readonly revision: string } | undefined;
};

/**
 * What the answers to some settings stand for, as text: what is known by them is worth nothing for settings with
 * another one, nor once the agency is elsewhere or the region is changed.
 */
export function standsFor(
  settings: ScheduleSettings,
  { url, dialect, regionArea }: AnswerSource,
): string {
  const answers = `${settingsText(settings)} ${dialect ?? "table"} ${url}`;
  return regionArea === undefined ? answers : `${answers} ${regionArea.revision}`;
}

/**
 * Whether answers that stand for something were asked for by these settings.
 * @param revision of the settings' region; null without one
 */
export function isAnswerTo(
  settings: ScheduleSettings,
  standing: string | null,
  revision: string | null = null,
): boolean {
  if (standing === null || !standing.startsWith(`${settingsText(settings)} `)) return false;
  return revision === null || standing.endsWith(` ${revision}`);
}

function settingsText(settings: ScheduleSettings): string {
  const { agency, lookbackHours, filters, detail, updateExisting, withdrawn } = settings;
  const { join, columns } = settings;
  const terms = { agency, lookbackHours, filters, detail, updateExisting, withdrawn };
  return JSON.stringify({ ...terms, join, columns });
}

/** The ways of event services: how they differ from each other is in infra/agency/query.ts. */
export const SERVICE_DIALECTS = ["fdsn", "geonet", "comcat", "seiscomp", "isc", "emsc"] as const;
export type ServiceDialect = (typeof SERVICE_DIALECTS)[number];

/** `table`: no event service, but a file of any kind that upload reads. */
const AGENCY_DIALECTS = [...SERVICE_DIALECTS, "table"] as const;

/** What is known of an agency beside its id. */
export const AgencySettings = z.object({
  name: z.string(),
  /** Of an event service the address below which its methods are: `…/fdsnws/event/1`; of a table that of the file. */
  url: z.string(),
  dialect: z.enum(AGENCY_DIALECTS),
  enabled: z.boolean(),
  /** Most events that it gives in one answer; null where that is not known. */
  maxPerRequest: z.int().positive().nullable(),
  requestsAtOnce: z.int().positive(),
  /** Address of its messages, ws or wss; null where it sends none. */
  push: z.string().nullable(),
});
export type AgencySettings = z.infer<typeof AgencySettings>;

const service = {
  enabled: false,
  maxPerRequest: null,
  requestsAtOnce: REQUESTS_AT_ONCE,
  push: null,
} as const;

/**
 * Agencies that are known beforehand, by id; turned off until an administrator changes that. Most events in one answer
 * as the agencies or the widely used clients QQuake and ObsPy state them; null where nobody does.
 */
export const AGENCY_PRESETS: Readonly<Record<string, AgencySettings>> = {
  geonet: {
    ...service,
    name: "GeoNet",
    url: "https://service.geonet.org.nz/fdsnws/event/1",
    dialect: "geonet",
    maxPerRequest: 10_000,
  },
  usgs: {
    ...service,
    name: "USGS ComCat",
    url: "https://earthquake.usgs.gov/fdsnws/event/1",
    dialect: "comcat",
    maxPerRequest: 20_000,
  },
  emsc: {
    ...service,
    name: "EMSC",
    url: "https://www.seismicportal.eu/fdsnws/event/1",
    dialect: "emsc",
    maxPerRequest: 1_000,
    push: "wss://www.seismicportal.eu/standing_order/websocket",
  },
  // Its requests run slowly.
  isc: {
    ...service,
    name: "ISC",
    url: "https://www.isc.ac.uk/fdsnws/event/1",
    dialect: "isc",
    requestsAtOnce: 1,
  },
  ingv: {
    ...service,
    name: "INGV",
    url: "https://webservices.ingv.it/fdsnws/event/1",
    dialect: "fdsn",
    maxPerRequest: 10_000,
  },
  gfz: {
    ...service,
    name: "GFZ",
    url: "https://geofon.gfz.de/fdsnws/event/1",
    dialect: "seiscomp",
    maxPerRequest: 1_000,
  },
  // The Swiss Seismological Service, which is also the node of ORFEUS for events.
  eth: {
    ...service,
    name: "ORFEUS / ETH Zürich",
    url: "https://eida.ethz.ch/fdsnws/event/1",
    dialect: "seiscomp",
    maxPerRequest: 1_000,
  },
  ncedc: {
    ...service,
    name: "NCEDC",
    url: "https://service.ncedc.org/fdsnws/event/1",
    dialect: "fdsn",
  },
  scedc: {
    ...service,
    name: "SCEDC",
    url: "https://service.scedc.caltech.edu/fdsnws/event/1",
    dialect: "fdsn",
  },
};

const agencyId = z.string();

/** Events of the stream `agency-<id>`. The settings are whole. */
export const agencyEvents = {
  AgencyAdded: z.object({ agencyId, settings: AgencySettings }),
  /** Also the first event of an agency that is known beforehand. */
  AgencyChanged: z.object({ agencyId, settings: AgencySettings }),
  AgencyRemoved: z.object({ agencyId }),
} as const;

export type AgencyEvent = EventOf<typeof agencyEvents>;
