import { createHmac } from "node:crypto";
import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { Lookups } from "#infra/postgres/statements.ts";

/** Networks kept per user; beyond them the one with the oldest sign-in is dropped. */
const MAX_NETWORKS = 20;

/** How long a network stays known after the last sign-in from it. */
const LIFETIME = sql.fragment`interval '90 days'`;

export type UsersNetwork = {
  readonly userId: string;
  /** Pseudonym of the network, 32 bytes. */
  readonly networkTag: Buffer;
};

/**
 * Members of a WITH clause that mark a network as known, for the `user_id` of its member `noted`.
 */
export function keepingNetwork(network: UsersNetwork, now: FragmentSqlToken): FragmentSqlToken {
  const hash = sql.binary(hashOf(network));
  return sql.fragment`
    forgotten as (
      delete from vault.known_networks
      where (user_id, network) in (
        select k.user_id, k.network from vault.known_networks k join noted n using (user_id)
        where k.network <> ${hash} order by k.last_at desc offset ${MAX_NETWORKS - 1})
    ), known as (
      insert into vault.known_networks (user_id, network, last_at)
      select user_id, ${hash}, ${now} from noted
      on conflict (user_id, network) do update set last_at = excluded.last_at
    )`;
}

const Known = z.object({ known: z.boolean() });

/** Whether the user has signed in from this network before; takes the same work for an unknown user. */
export async function isKnownNetwork(
  lookups: Lookups,
  network: UsersNetwork,
  now: Date,
): Promise<boolean> {
  const row = await lookups.maybeOne(sql.type(Known)`
    select exists (
      select from vault.known_networks
      where user_id = ${network.userId} and network = ${sql.binary(hashOf(network))}
        and last_at > ${now.toISOString()}::timestamptz - ${LIFETIME}) as known`);
  return row?.known === true;
}

/** Deletes networks that are no longer known. */
export async function forgetOldNetworks(pool: CommonQueryMethods): Promise<void> {
  await pool.query(sql.unsafe`
    delete from vault.known_networks where last_at < now() - ${LIFETIME}`);
}

function hashOf({ userId, networkTag }: UsersNetwork): Buffer {
  return createHmac("sha256", networkTag).update(userId).digest();
}
