import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import type { Schedule } from "#contracts/http/schedules.ts";
import { isAnswerTo, ScheduleSettings } from "#contracts/schedule.ts";
import { isoTimes } from "#infra/postgres/iso-time.ts";
import { type ListPage, type ListRequest, readListPage } from "../long-list.ts";
import { isThereFor, type Reader } from "../rights/reader-rights.ts";
import { uuidOrNull } from "../sql-values.ts";
import { NEXT_RUN } from "./next-run.ts";

const ScheduleRow = z.object({
  id: z.uuid(),
  catalogueId: z.uuid(),
  maker: z.string(),
  settings: ScheduleSettings,
  created_at: z.string(),
  updated_at: z.string(),
  running: z.boolean(),
  last_run: z.string().nullable(),
  last_whole: z.string().nullable(),
  next_run: z.string().nullable(),
  failures: z.int(),
  error: z.string().nullable(),
  stands_for: z.string().nullable(),
  region_revision: z.string().nullable(),
});

const SCHEDULES = sql.fragment`(
  select s.*, t.last_run, t.last_whole, coalesce(t.failures, 0) as failures,
    coalesce(t.error, t.withheld ->> 'why') as error, t.stands_for,
    r.revision as region_revision, t.worker is not null as running, ${NEXT_RUN} as next_run
  from read_model.schedules s left join operations.schedule_states t on t.schedule_id = s.id
    left join read_model.regions r on r.id = s.region) s`;

const COLUMNS = sql.fragment`
  id, catalogue_id as "catalogueId", maker, settings, running, failures, error, stands_for,
  region_revision, ${isoTimes("created_at", "updated_at", "last_run", "last_whole", "next_run")}`;

/** Only catalogues that are there for a reader have schedules. */
function isOfReader(reader: Reader) {
  return sql.fragment`exists (
    select from read_model.catalogues c where c.id = s.catalogue_id and ${isThereFor(reader, "c")})`;
}

const Key = z.strictObject({ created_at: z.iso.datetime({ precision: 3 }), id: z.uuid() });
type Key = z.infer<typeof Key>;

/**
 * The schedules of the catalogues that are there for a reader, newest first.
 * @param catalogueId of this one alone
 */
export function listSchedules(
  pool: CommonQueryMethods,
  catalogueId: string | undefined,
  request: ListRequest,
  reader: Reader,
): Promise<ListPage<Schedule>> {
  const isOf =
    catalogueId === undefined
      ? sql.fragment`true`
      : sql.fragment`s.catalogue_id = ${catalogueId}::uuid`;
  const read = async (after: Key | null, limit: number) => {
    const follows =
      after === null
        ? sql.fragment`true`
        : sql.fragment`(s.created_at, s.id) < (${after.created_at}::timestamptz, ${after.id}::uuid)`;
    const rows = await pool.any(sql.type(ScheduleRow)`
      select ${COLUMNS} from ${SCHEDULES} where ${isOf} and ${follows} and ${isOfReader(reader)}
      order by s.created_at desc, s.id desc limit ${limit}`);
    return rows.map(shown);
  };
  const keyOf = ({ created_at, id }: Schedule) => ({ created_at, id });
  return readListPage({ name: "schedules", key: Key, keyOf, read }, request);
}

/** One schedule; null for an unknown one, and for one of a catalogue that is not there for the reader. */
export async function findSchedule(
  pool: CommonQueryMethods,
  id: string,
  reader: Reader,
): Promise<Schedule | null> {
  const row = await pool.maybeOne(sql.type(ScheduleRow)`
    select ${COLUMNS} from ${SCHEDULES}
    where s.id = ${uuidOrNull(id)}::uuid and ${isOfReader(reader)}`);
  return row && shown(row);
}

function shown(row: z.infer<typeof ScheduleRow>): Schedule {
  const { settings, stands_for: known, region_revision: revision, maker, error, ...rest } = row;
  const { filters, pausedBecause, ...asked } = settings;
  const { polygon = null, region = null } = filters;
  return {
    ...rest,
    ...asked,
    ...filters,
    polygon,
    region,
    created_by: maker,
    last_whole: isAnswerTo(settings, known, revision) ? row.last_whole : null,
    error: pausedBecause ?? error,
  };
}
