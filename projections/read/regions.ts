import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import type { RegionGeometry } from "#contracts/events/regions.ts";
import type { ListedRegion, Region } from "#contracts/http/regions.ts";
import { isoTimes, type Lookups } from "#infra/postgres/statements.ts";
import {
  type CreatedKey,
  CreatedUuidKey,
  createdBefore,
  createdKeyOf,
  type ListPage,
  type ListRequest,
  readListPage,
  uuidOrNull,
} from "./lists.ts";

/** Checked when it came in. */
const geometry = z.custom<RegionGeometry>();

const RegionRow = z.object({
  id: z.uuid(),
  name: z.string(),
  note: z.string().nullable(),
  bbox: z.array(z.number()),
  vertices: z.int(),
  created_at: z.string(),
  created_by: z.string(),
  updated_at: z.string(),
  updated_by: z.string(),
  geometry,
});

const ListedRow = RegionRow.extend({ geometry: geometry.nullable(), isWithin: z.boolean() });

const COLUMNS = sql.fragment`id, name, note, bbox, vertices, created_by, updated_by,
  ${isoTimes("created_at", "updated_at")}`;

/** Vertices of the geometries in one answer, some 2 MB; the first one has more if need be. */
const VERTICES_TOLD = 50_000;

/** The regions, newest first; an answer ends early where it has many vertices. */
export async function listRegions(
  pool: CommonQueryMethods,
  { withGeometry, ...request }: ListRequest & { readonly withGeometry: boolean },
): Promise<ListPage<ListedRegion>> {
  const before = withGeometry
    ? sql.fragment`sum(vertices) over (order by created_at desc, id desc) - vertices`
    : sql.fragment`0`;
  const read = async (after: CreatedKey | null, limit: number) =>
    pool.any(sql.type(ListedRow)`
      select ${COLUMNS}, is_within as "isWithin",
        case when ${withGeometry} and is_within then geometry end as geometry
      from (select *, ${before} < ${VERTICES_TOLD} as is_within from read_model.regions
        where ${createdBefore("regions", after)} order by created_at desc, id desc limit ${limit}) r
      order by created_at desc, id desc`);
  const fitting = (rows: readonly z.infer<typeof ListedRow>[]) =>
    rows.findIndex(({ isWithin }) => !isWithin);
  const list = { name: "regions", key: CreatedUuidKey, keyOf: createdKeyOf, read, fitting };
  const { rows, nextCursor } = await readListPage(list, request);
  return {
    rows: rows.map(({ geometry: shape, isWithin: _, ...region }) => ({
      ...region,
      ...(shape !== null && { geometry: shape }),
    })),
    nextCursor,
  };
}

/** @param id UUID */
export function findRegion(pool: CommonQueryMethods, id: string): Promise<Region | null> {
  return pool.maybeOne(sql.type(RegionRow)`
    select ${COLUMNS}, geometry from read_model.regions where id = ${id}::uuid`);
}

const FoundArea = z.object({
  revision: z.string(),
  vertices: z.int(),
  geometry: geometry.nullable(),
});

/**
 * What a region is now, and its geometry where that is another than the known one; null for an unknown one.
 * @param known the revision of the known one
 */
export function findRegionArea(lookups: Lookups, id: string, known: string | null) {
  return lookups.maybeOne(sql.type(FoundArea)`
    select revision, vertices,
      case when revision is distinct from ${known}::text then geometry end as geometry
    from read_model.regions where id = ${uuidOrNull(id)}::uuid`);
}

/** Whether a schedule asks by a region. */
export function isScheduledRegion(pool: CommonQueryMethods, id: string): Promise<boolean> {
  return pool.exists(sql.unsafe`
    select from read_model.schedules where region = ${id}::uuid`);
}
