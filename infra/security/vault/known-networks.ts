import { createHmac } from "node:crypto";
import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { Lookups } from "#infra/postgres/statements.ts";

/** Networks kept of a user: beyond them the one not signed in from for longest is forgotten. */
const MAX_NETWORKS = 20;

/** How long a network counts as known after the last sign-in from there. */
const LIFETIME = sql.fragment`interval '90 days'`;

export type UsersNetwork = {
  readonly userId: string;
  /** Names the network without telling it, 32 bytes. */
  readonly networkTag: Buffer;
};

/**
 * What keeps a network as known, as members of a WITH clause whose member `noted` has the user's
 * `user_id` where the sign-in holds.
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

/** Whether the user has signed in from there before; the same work where there is no such user. */
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

/** Clears away the networks whose time is over. */
export async function forgetOldNetworks(pool: CommonQueryMethods): Promise<void> {
  await pool.query(sql.unsafe`
    delete from vault.known_networks where last_at < now() - ${LIFETIME}`);
}

function hashOf({ userId, networkTag }: UsersNetwork): Buffer {
  return createHmac("sha256", networkTag).update(userId).digest();
}
