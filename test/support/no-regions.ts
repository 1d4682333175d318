import type { Regions } from "#services/regions/commands.ts";

/** No region is saved. */
export const NO_REGIONS: Regions = { find: async () => null };
