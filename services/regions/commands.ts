/** What makes, changes and deletes saved regions, and their areas for whoever filters by one. */

import { Refusal } from "#contracts/errors.ts";
import { regionStream } from "#contracts/events/log.ts";
import type { RegionSettings } from "#contracts/events/regions.ts";
import { areaOfGeometry } from "#contracts/geometry/shape.ts";
import type { RegionArea } from "#contracts/query/filters.ts";
import { createRecent } from "#infra/kernel/recent.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { findRegionArea, isScheduledRegion } from "#projections/read/regions.ts";
import {
  ABSENT,
  changeRegion,
  createRegion,
  deleteRegion,
  evolve,
} from "#services/domain/regions.ts";
import type { Command, CommandContext } from "../context.ts";
import { createDecider } from "../streams.ts";

const decide = createDecider("catalogues", regionStream, { initial: ABSENT, evolve });

/** Makes a region; it is there when this resolves. @returns its id @throws Refusal MISSING_NAME, VALIDATION_ERROR */
export async function createRegionCommand(
  context: CommandContext,
  command: Command,
  settings: RegionSettings,
): Promise<string> {
  const id = command.id;
  await decide(context, command, id, (state) => createRegion(state, id, settings));
  return id;
}

/** @throws Refusal NOT_FOUND, MISSING_NAME, VALIDATION_ERROR */
export async function updateRegionCommand(
  context: CommandContext,
  command: Command,
  regionId: string,
  change: Partial<RegionSettings>,
): Promise<void> {
  await decide(context, command, regionId, (state) => changeRegion(state, regionId, change));
}

/** @throws Refusal NOT_FOUND; CONFLICT for one of a schedule */
export async function deleteRegionCommand(
  context: CommandContext,
  command: Command,
  regionId: string,
): Promise<void> {
  if (!command.retried && (await isScheduledRegion(context.pool, regionId))) {
    throw new Refusal("CONFLICT", "A schedule imports by this region");
  }
  await decide(context, command, regionId, (state) => deleteRegion(state, regionId));
}

export type Regions = ReturnType<typeof createRegions>;

/** Vertices of the regions that are kept; each takes some 100 bytes. */
const KEPT_VERTICES = 200_000;

/** What saved regions are now. Each time their revision is asked for, and their geometry where that is new: what is made of it is kept with it. */
export function createRegions(lookups: Lookups) {
  const recent = createRecent<RegionArea>(KEPT_VERTICES);
  return {
    /** Null for an unknown one. */
    async find(id: string): Promise<RegionArea | null> {
      const known = recent.get(id);
      const found = await findRegionArea(lookups, id, known?.revision ?? null);
      if (found === null) return null;
      const { revision, vertices, geometry } = found;
      const now = geometry === null ? known : { id, revision, area: areaOfGeometry(geometry) };
      if (now === undefined) throw new Error(`region ${id} came without its geometry`);
      return recent.keep(id, now, vertices);
    },
  };
}
