import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { START } from "#infra/event-log/event-log.ts";

/** Stores a message that the broker has acknowledged. */
export async function notePublished(
  pool: CommonQueryMethods,
  relay: string,
  sequence: number,
  eventId: string,
): Promise<void> {
  await pool.query(sql.unsafe`
    with noted as (
      insert into notifications.published as p (relay, sequence, event_id)
      values (${relay}, ${sequence}, ${eventId}::uuid)
      on conflict do nothing
    )
    insert into notifications.checkpoints as c (relay, position, broker_sequence)
    values (${relay}, ${START}, ${sequence})
    on conflict (relay) do update
      set broker_sequence = greatest(c.broker_sequence, excluded.broker_sequence),
        updated_at = clock_timestamp()`);
}

/** Which of the acknowledged messages a broker need not have any more. */
export type Retention =
  /** Those that somebody has taken. */
  | { readonly kind: "until taken" }
  /** Those older than `keptMs`; with `newestOnly` also all but the newest. */
  | { readonly kind: "by age"; readonly keptMs: number; readonly newestOnly: boolean };

/** What a stream holds. */
export type StreamContent = {
  readonly first: number;
  readonly last: number;
  /** Sequences between them that it does not have. */
  readonly deleted: readonly number[];
};

const Comparison = z.object({
  lacking: z.int(),
  newest: z.object({ sequence: z.int(), eventId: z.uuid() }).nullable(),
});

/**
 * Compares a stream with what the broker has acknowledged.
 * @param upTo the last sequence that was acknowledged before the stream was read
 * @returns how many messages it has lost, and the newest that it should have
 */
export function compareWithPublished(
  pool: CommonQueryMethods,
  relay: string,
  retention: Retention,
  { first, last, deleted }: StreamContent,
  upTo: number,
): Promise<z.infer<typeof Comparison>> {
  const newestOnly = retention.kind === "by age" && retention.newestOnly;
  return pool.one(sql.type(Comparison)`
    with newest as (
      select max(sequence) as sequence from notifications.published
      where relay = ${relay} and sequence <= ${upTo}
    ), wanted as (
      select p.sequence, p.event_id from notifications.published p, newest n
      where p.relay = ${relay} and p.sequence <= n.sequence and ${isWanted(retention)}
        and (not ${newestOnly} or p.sequence = n.sequence)
    )
    select
      (select count(*) from wanted
        where sequence < ${first} or sequence > ${last}
          or sequence = any(${sql.array([...deleted], "int8")})) as lacking,
      (select jsonb_build_object('sequence', sequence, 'eventId', event_id) from wanted
        order by sequence desc limit 1) as newest`);
}

function isWanted(retention: Retention): FragmentSqlToken {
  if (retention.kind === "until taken") {
    return sql.fragment`
      not exists (select from notifications.notices taken where taken.id = p.event_id)`;
  }
  return sql.fragment`
      (p.published_at > clock_timestamp() - ${retention.keptMs}::float8 * interval '1 ms')`;
}

/** Forgets messages that a broker need not have any more. */
export async function forgetPublished(
  pool: CommonQueryMethods,
  relay: string,
  retention: Retention,
): Promise<void> {
  await pool.query(sql.unsafe`
    delete from notifications.published p where relay = ${relay} and not ${isWanted(retention)}`);
}

/** Stores which server has the stream. */
export async function noteLeader(
  pool: CommonQueryMethods,
  relay: string,
  leader: string | null,
): Promise<void> {
  await pool.query(sql.unsafe`
    update notifications.checkpoints set broker_leader = ${leader}
    where relay = ${relay} and broker_leader is distinct from ${leader}`);
}

/** Forgets all messages, of a stream that its operator has emptied. */
export async function forgetAllPublished(pool: CommonQueryMethods, relay: string): Promise<void> {
  await pool.query(sql.unsafe`delete from notifications.published where relay = ${relay}`);
}

/** Sets the relay back to the start of the log, for a broker that has lost messages. */
export async function rewindRelay(pool: CommonQueryMethods, relay: string): Promise<void> {
  await pool.query(sql.unsafe`
    with forgotten as (delete from notifications.published where relay = ${relay})
    update notifications.checkpoints
    set position = ${START}, event_id = null, broker_sequence = 0, updated_at = clock_timestamp()
    where relay = ${relay}`);
}
