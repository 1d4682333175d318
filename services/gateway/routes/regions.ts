import type { CommonQueryMethods } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import { withoutHeights } from "#contracts/geometry/region-geometry.ts";
import type { Region } from "#contracts/http/regions.ts";
import { findRegion, listRegions } from "#projections/queries/regions/region-queries.ts";
import {
  createRegionCommand,
  deleteRegionCommand,
  updateRegionCommand,
} from "#services/commands/regions/region-commands.ts";
import type { MakeHandler } from "./make-handler.ts";

export const listRegionsHandler: MakeHandler<"listRegions", "pool"> =
  ({ pool }) =>
  async ({ query: { geometry, ...request } }) => {
    const withGeometry = geometry === "true";
    const { rows, nextCursor } = await listRegions(pool, { ...request, withGeometry });
    return { body: { regions: [...rows], ...(nextCursor !== null && { nextCursor }) } };
  };

export const getRegionHandler: MakeHandler<"getRegion", "pool"> =
  ({ pool }) =>
  async ({ params }) => ({ body: { region: await existing(pool, params.id) } });

export const createRegionHandler: MakeHandler<"createRegion"> =
  ({ context }) =>
  async ({ command, body }) => {
    const { geometry, hadHeights } = withoutHeights(body.geometry);
    const id = await createRegionCommand(context, command, { ...body, geometry });
    return {
      body: saved(await existing(context.pool, id), hadHeights),
      headers: { location: `/api/regions/${id}` },
    };
  };

export const updateRegionHandler: MakeHandler<"updateRegion"> =
  ({ context }) =>
  async ({ command, params, body: { name, geometry, note } }) => {
    const given = geometry && withoutHeights(geometry);
    const change = {
      ...(name !== undefined && { name }),
      ...(given !== undefined && { geometry: given.geometry }),
      ...(note !== undefined && { note }),
    };
    await updateRegionCommand(context, command, params.id, change);
    return { body: saved(await existing(context.pool, params.id), given?.hadHeights === true) };
  };

export const deleteRegionHandler: MakeHandler<"deleteRegion"> =
  ({ context }) =>
  async ({ command, params }) => {
    await deleteRegionCommand(context, command, params.id);
    return { body: { success: true } };
  };

function saved(region: Region, hadHeights: boolean) {
  if (!hadHeights) return { region };
  return { region, warnings: [{ path: "geometry", message: "has heights, which are left out" }] };
}

/** @throws Refusal NOT_FOUND */
async function existing(pool: CommonQueryMethods, id: string): Promise<Region> {
  const region = await findRegion(pool, id);
  if (region === null) throw new Refusal("NOT_FOUND", "Region not found");
  return region;
}
