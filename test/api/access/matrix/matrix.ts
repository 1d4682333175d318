import type { operations } from "#contracts/http/table/operations.ts";
import { ACCOUNTS } from "./accounts.ts";
import { ANALYTICS } from "./analytics.ts";
import { CATALOGUES } from "./catalogues.ts";
import { CLIENTS } from "./clients.ts";
import { MERGES } from "./merges.ts";
import type { Row } from "./row.ts";
import { SCHEDULES } from "./schedules.ts";
import { SERVICE } from "./service.ts";

/**
 * The lowest role that may call each operation (`contracts/docs/http.md`, Access). The catalogue is
 * private, so reading its events needs a viewer.
 */
export const MATRIX: Record<keyof typeof operations, Row> = {
  ...CATALOGUES,
  ...ANALYTICS,
  ...CLIENTS,
  ...ACCOUNTS,
  ...SCHEDULES,
  ...MERGES,
  ...SERVICE,
};
