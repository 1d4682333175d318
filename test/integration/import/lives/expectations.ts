import { expect } from "vitest";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { isoTime } from "#projections/queries/events/copied-event.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { listImports } from "#projections/queries/schedules/import-history.ts";
import { expectedAt } from "../../../support/agency/life/oracle.ts";
import { LOOKBACK_HOURS, OWN, type Subject } from "./subject.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** Of the events of an agency in a window; more is not withdrawn, but for few that are missed again and again. */
const BELIEVED = 0.2;
const FEW = 3;
const FEW_RUNS = 3;
/** More than a schedule of these tests makes. */
const MOST_RUNS = 2_000;
const NAMES = ["latitude", "longitude", "depth", "magnitude"];

type State = {
  readonly last_whole: string | null;
  readonly failures: number;
  readonly error: string | null;
};

export async function stateOf({ scene, scheduleId }: Subject): Promise<State> {
  const { rows } = await scene.catalogues.projectorPool.query<State>(
    `select to_char(last_whole at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_whole, failures,
       coalesce(error, withheld ->> 'why') as error
     from operations.schedule_states where schedule_id = $1`,
    [scheduleId],
  );
  return rows[0] ?? { last_whole: null, failures: 0, error: null };
}

type Row = JsonObject & { source_id: string; isMarked: boolean };

/** Those of the last version: a dead process may have left a revision open. */
async function rowsOf({ scene, catalogueId, own }: Subject): Promise<Row[]> {
  const { rows } = await scene.catalogues.projectorPool.query<JsonObject>(
    `select event_id as id, source_id, time::text, time_digits, ${NAMES.join(", ")}, extra ->> 'withdrawn_at' as marked
     from read_model.seismic_events join read_model.catalogues c on c.key = catalogue_key
     where c.id = $1 and revision_from <= c.version and (revision_to is null or revision_to > c.version)`,
    [catalogueId],
  );
  return rows
    .filter(({ id }) => !own.has(String(id)))
    .map((row) => ({
      ...row,
      source_id: String(row["source_id"]),
      time: isoTime(String(row["time"]), Number(row["time_digits"])),
      isMarked: row["marked"] !== null,
    }));
}

function essence(row: JsonObject, precision: number): string {
  const timeMs = Math.floor(Date.parse(String(row["time"])) / precision) * precision;
  return JSON.stringify([row["source_id"], timeMs, ...NAMES.map((name) => row[name] ?? null)]);
}

/** What the catalogue has of the agency in that window, without what is marked as withdrawn. */
async function shown(subject: Subject, atMs: number): Promise<Row[]> {
  const fromMs = atMs - LOOKBACK_HOURS * HOUR;
  const rows = await rowsOf(subject);
  return rows.filter(({ time, isMarked }) => !isMarked && Date.parse(String(time)) >= fromMs);
}

/** What the agency has within the window of a run that began at `atMs`. */
function held({ agency, filters }: Subject, atMs: number) {
  const fromMs = atMs - LOOKBACK_HOURS * HOUR;
  return expectedAt(agency.life, atMs, { fromMs, toMs: atMs, filters });
}

/** Rows that a run may withdraw: not at the start of its window, where corrected times cross it. */
function decidable(rows: readonly Row[], atMs: number): Row[] {
  const fromMs = atMs - LOOKBACK_HOURS * HOUR + MINUTE;
  return rows.filter(({ time }) => Date.parse(String(time)) >= fromMs);
}

/** What the catalogue promises of the agency's events, as a model: `follow` sees each run that was whole. */
export function createWithholding(subject: Subject) {
  /** In how many whole runs in a row each event was missed. */
  const missed = new Map<unknown, number>();
  let isWithholding = false;
  return {
    isWithholding: () => isWithholding,
    /** What is there before a run. */
    before: async (atMs: number) => decidable(await shown(subject, atMs), atMs),
    /**
     * The catalogue is what the agency had when the window was last read whole, and what was withheld: more than a
     * fifth of what the window held, but of three events or fewer those that three such runs in a row have missed.
     */
    async follow(before: readonly Row[], atMs: number): Promise<void> {
      const { withdrawn, precision } = subject;
      const present = await shown(subject, atMs);
      const agencys = held(subject, atMs);
      const expected = [...agencys.values()].map(({ row }) => essence(row, precision));
      const found = present.map((row) => essence(row, precision)).sort();
      if (withdrawn === "keep") {
        expect(found).toEqual(expect.arrayContaining(expected));
        return;
      }
      const all = await rowsOf(subject);
      const there = new Set(
        all.filter((row) => agencys.has(row.source_id)).map((row) => row["id"]),
      );
      const gone = before.filter(({ id }) => !there.has(id ?? null));
      const runs = new Map(gone.map(({ id }) => [id, (missed.get(id) ?? 0) + 1]));
      missed.clear();
      for (const [id, count] of runs) missed.set(id, count);
      const isTooMuch = gone.length > BELIEVED * before.length;
      const stays = ({ id }: Row) =>
        isTooMuch && (gone.length > FEW || (runs.get(id) ?? 0) < FEW_RUNS);
      const withheld = gone.filter(stays);
      isWithholding = withheld.length > 0;
      expected.push(...withheld.map((row) => essence(row, precision)));
      expect(found).toEqual(expected.sort());
      const { failures, error } = await stateOf(subject);
      expect({ failures, isTold: error !== null }).toEqual({ failures: 0, isTold: isWithholding });
      if (isWithholding) expect(error).toContain(`${gone.length} of its ${before.length} events`);
    },
  };
}

/**
 * Of the runs that succeeded the counts add up to what is there.
 * @returns the events that were withdrawn, and the runs that failed
 */
export async function expectTrueHistory(
  subject: Subject,
): Promise<{ readonly withdrawn: number; readonly failed: number }> {
  const { lane, catalogueId, withdrawn } = subject;
  const history = await listImports(lane.context.pool, catalogueId, MOST_RUNS, SERVICE);
  const succeeded = history.filter(({ errors }) => errors === null || errors.length === 0);
  let count = 0;
  let withdrawnCount = 0;
  for (const { new_events: added, withdrawn_events: gone = 0 } of succeeded) {
    withdrawnCount += gone;
    count += added - (withdrawn === "remove" ? gone : 0);
  }
  expect(count).toBe((await rowsOf(subject)).length);
  return { withdrawn: withdrawnCount, failed: history.length - succeeded.length };
}

/** The events that are no agency's are all there. */
export async function expectOwn({ scene, catalogueId, own }: Subject): Promise<void> {
  const { rows } = await scene.catalogues.projectorPool.query<{ count: string }>(
    "select count(*) from read_model.seismic_events where catalogue_key = (select key from read_model.catalogues where id = $1) and event_id = any($2) and revision_to is null",
    [catalogueId, [...own]],
  );
  expect(Number(rows[0]?.count)).toBe(OWN);
}
