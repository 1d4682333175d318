import type { CommonQueryMethods } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import {
  type RegionGeometry,
  type SubmittedGeometry,
  withoutHeights,
} from "#contracts/events/regions.ts";
import type { Warning } from "#contracts/http/operation.ts";
import type { Region } from "#contracts/http/regions.ts";
import { findRegion, listRegions } from "#projections/read/regions.ts";
import type { Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { createRegionCommand, deleteRegionCommand, updateRegionCommand } from "./commands.ts";

export const handlersOfRegions = ({ pool, context }: HandlerDeps) =>
  ({
    listRegions: async ({ query: { geometry, ...request } }) => {
      const withGeometry = geometry === "true";
      const { rows, nextCursor } = await listRegions(pool, { ...request, withGeometry });
      return { body: { regions: [...rows], ...(nextCursor !== null && { nextCursor }) } };
    },

    getRegion: async ({ params }) => ({ body: { region: await existing(pool, params.id) } }),

    createRegion: async ({ command, body, warnings }) => {
      const geometry = savedGeometry(body.geometry, warnings);
      const id = await createRegionCommand(context, command, { ...body, geometry });
      return {
        body: { region: await existing(context.pool, id) },
        headers: { location: `/api/regions/${id}` },
      };
    },

    updateRegion: async ({ command, params, warnings, body: { name, geometry, note } }) => {
      const change = {
        ...(name !== undefined && { name }),
        ...(geometry !== undefined && { geometry: savedGeometry(geometry, warnings) }),
        ...(note !== undefined && { note }),
      };
      await updateRegionCommand(context, command, params.id, change);
      return { body: { region: await existing(context.pool, params.id) } };
    },

    deleteRegion: async ({ command, params }) => {
      await deleteRegionCommand(context, command, params.id);
      return { body: { success: true } };
    },
  }) satisfies Partial<Handlers>;

function savedGeometry(given: SubmittedGeometry, warnings: Warning[]): RegionGeometry {
  const { geometry, hadHeights } = withoutHeights(given);
  if (hadHeights) warnings.push({ path: "geometry", message: "has heights, which are left out" });
  return geometry;
}

/** @throws Refusal NOT_FOUND */
async function existing(pool: CommonQueryMethods, id: string): Promise<Region> {
  const region = await findRegion(pool, id);
  if (region === null) throw new Refusal("NOT_FOUND", "Region not found");
  return region;
}
