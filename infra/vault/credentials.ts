/**
 * Tables of the vault about people who sign in: keys, passwords, sessions, links, networks; and
 * what roles may.
 */

import { createHash, createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { Argon2id } from "oslo/password";
import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { HOUR_MS } from "#contracts/units.ts";
import type { Lookups, Statements } from "#infra/postgres/statements.ts";
import { createRequestSlots, NOBODY } from "../kernel/fair-queue.ts";

const UserKey = z.object({ key: z.instanceof(Buffer) });
const Owner = z.object({ user_id: z.string() });

/** Stores the personal key of a new user, and the password hash; null for a user without a password. */
export async function storeCredentials(
  vault: Pick<Statements, "any">,
  {
    userId,
    personalKey,
    passwordHash,
    at,
  }: {
    readonly userId: string;
    readonly personalKey: KeyObject;
    readonly passwordHash: string | null;
    readonly at: Date;
  },
): Promise<void> {
  await vault.any(sql.unsafe`
    with keyed as (
      insert into vault.user_keys (user_id, key) values (${userId}, ${sql.binary(personalKey.export())})
    )
    insert into vault.credentials (user_id, password_hash, updated_at)
    values (${userId}, ${passwordHash}, ${at.toISOString()}::timestamptz)`);
}

/** The key of a user's personal data; null when it was destroyed. */
export async function readPersonalKey(pool: CommonQueryMethods, userId: string) {
  const row = await pool.maybeOne(sql.type(UserKey)`
    select key from vault.user_keys where user_id = ${userId}`);
  return row && createSecretKey(row.key);
}

/** Destroys the personal key, and with it the password hash, the sessions and the reset tokens. */
export async function forgetUser(pool: CommonQueryMethods, userId: string): Promise<void> {
  await pool.query(sql.unsafe`delete from vault.user_keys where user_id = ${userId}`);
}

const Hash = z.object({ password_hash: z.string().nullable() });

/** The Argon2id hash of a user's password; null without one, and when the user's credentials were destroyed. */
export async function readPasswordHash(pool: CommonQueryMethods, userId: string) {
  const row = await pool.maybeOne(sql.type(Hash)`
    select password_hash from vault.credentials where user_id = ${userId}`);
  return row?.password_hash ?? null;
}

type NewPassword = {
  readonly userId: string;
  readonly passwordHash: string;
  /** The hash that must still be current; null for any. */
  readonly insteadOf: string | null;
  /** UUID of the session that stays; null ends all. */
  readonly keepSession: string | null;
  /** Pseudonym of the request's network, 32 bytes; the network counts as signed in from. */
  readonly networkTag: Buffer;
  readonly at: Date;
};

/**
 * Replaces the password, ends the user's sessions and destroys the reset tokens. For use in a
 * transaction: the first statement waits for concurrent logins, so that the second sees their
 * sessions.
 * @returns false when the user's credentials were destroyed, or the password was changed meanwhile
 */
export async function replacePassword(
  transaction: CommonQueryMethods,
  { userId, passwordHash, insteadOf, keepSession, networkTag, at }: NewPassword,
): Promise<boolean> {
  const now = sql.fragment`${at.toISOString()}::timestamptz`;
  const changed = await transaction.maybeOne(sql.type(Owner)`
    with noted as (
      update vault.credentials set password_hash = ${passwordHash}, updated_at = ${now}
      where user_id = ${userId} and (${insteadOf}::text is null or password_hash = ${insteadOf})
      returning user_id
    ), ${keepingNetwork({ userId, networkTag }, now)}
    select user_id from noted`);
  if (!changed) return false;
  await transaction.query(sql.unsafe`
    update vault.sessions set revoked_at = ${now}
    where user_id = ${userId} and revoked_at is null
      and id is distinct from ${keepSession}::uuid`);
  // Used tokens stay until they expire with their user; they are refused anyway.
  await transaction.query(sql.unsafe`
    delete from vault.reset_tokens where user_id = ${userId} and used_at is null`);
  return true;
}

/** Users with a personal key but without a row in the read model: deleted, or not yet registered. */
export function listOrphanedKeys(pool: CommonQueryMethods): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(Owner)`
    select k.user_id from vault.user_keys k
    where not exists (select from read_model.users u where u.id = k.user_id)
    order by k.user_id`);
}

/** Users without a personal key: its database was lost, and replaced by another. */
export function countKeylessUsers(pool: CommonQueryMethods): Promise<number> {
  return pool.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*) as count from read_model.users u
    where not exists (select from vault.user_keys k where k.user_id = u.id)`);
}

const Begun = z.object({ id: z.string() });

type NewSession = {
  /** UUID. */
  readonly sessionId: string;
  readonly userId: string;
  /** The hash against which the password was verified; null where none was asked for. */
  readonly passwordHash: string | null;
  /** Pseudonym of the network of the sign-in, 32 bytes. */
  readonly networkTag: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/**
 * Creates a session, records the login and its network, and deletes the user's ended sessions.
 * @returns false when the password was changed, or the user deleted, since the verification
 */
export async function beginSession(
  vault: Lookups,
  { sessionId, userId, passwordHash, networkTag, createdAt, expiresAt }: NewSession,
): Promise<boolean> {
  const now = sql.fragment`${createdAt.toISOString()}::timestamptz`;
  const begun = await vault.maybeOne(sql.type(Begun)`
    with noted as (
      update vault.credentials set last_login_at = ${now}
      where user_id = ${userId} and (${passwordHash}::text is null or password_hash = ${passwordHash})
      returning user_id
    ), cleared as (
      delete from vault.sessions
      where user_id = ${userId} and (expires_at <= ${now} or revoked_at is not null)
    ), ${keepingNetwork({ userId, networkTag }, now)}
    insert into vault.sessions (id, user_id, created_at, expires_at)
    select ${sessionId}::uuid, user_id, ${now}, ${expiresAt.toISOString()}::timestamptz from noted
    returning id`);
  return begun !== null;
}

/** Ends a session: its token is refused from then on. Repetitions have no effect. */
export async function revokeSession(pool: CommonQueryMethods, sessionId: string, at: Date) {
  await pool.query(sql.unsafe`
    update vault.sessions set revoked_at = ${at.toISOString()}::timestamptz
    where id = ${sessionId}::uuid and revoked_at is null`);
}

/** Ends all sessions of a user and destroys the reset tokens. */
export async function endSessions(pool: CommonQueryMethods, userId: string, at: Date) {
  await pool.query(sql.unsafe`
    with spent as (
      delete from vault.reset_tokens where user_id = ${userId} and used_at is null
    )
    update vault.sessions set revoked_at = ${at.toISOString()}::timestamptz
    where user_id = ${userId} and revoked_at is null`);
}

const TOKEN_BYTES = 32;
/** How long links work by which a password is reset, and by which a new account gets its first. */
export const RESET_MS = HOUR_MS;
export const INVITATION_MS = 7 * 24 * HOUR_MS;

/**
 * Creates a password reset token; only its hash is stored. Earlier tokens of the
 * user stay valid, so of several mails any can be used first.
 * @returns the token, base64url; null when the user has no credentials any more
 */
export async function issueResetToken(
  pool: CommonQueryMethods,
  userId: string,
  at: Date,
  lifetimeMs: number,
): Promise<string | null> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const expiresAt = new Date(at.getTime() + lifetimeMs);
  const row = await pool.maybeOne(sql.type(Owner)`
    insert into vault.reset_tokens (token_hash, user_id, created_at, expires_at)
    select ${sql.binary(tokenHash(token))}, user_id,
      ${at.toISOString()}::timestamptz, ${expiresAt.toISOString()}::timestamptz
    from vault.credentials where user_id = ${userId}
    returning user_id`);
  return row === null ? null : token;
}

/** The user of a token that can be used still; null for any other. */
export async function ownerOfResetToken(pool: CommonQueryMethods, token: string, at: Date) {
  const row = await pool.maybeOne(sql.type(Owner)`
    select user_id from vault.reset_tokens
    where token_hash = ${sql.binary(tokenHash(token))} and used_at is null
      and expires_at > ${at.toISOString()}::timestamptz`);
  return row?.user_id ?? null;
}

/**
 * Uses up a token and all other tokens of its user. Of two concurrent uses one succeeds.
 * @returns the user's id; null when the token is unknown, used or expired
 */
export async function consumeResetToken(pool: CommonQueryMethods, token: string, at: Date) {
  const now = sql.fragment`${at.toISOString()}::timestamptz`;
  const row = await pool.maybeOne(sql.type(Owner)`
    with consumed as (
      update vault.reset_tokens set used_at = ${now}
      where token_hash = ${sql.binary(tokenHash(token))} and used_at is null and expires_at > ${now}
      returning user_id
    ), spent as (
      delete from vault.reset_tokens r using consumed c
      where r.user_id = c.user_id and r.token_hash <> ${sql.binary(tokenHash(token))}
    )
    select user_id from consumed`);
  return row?.user_id ?? null;
}

function tokenHash(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}

/** Networks kept per user; beyond them the one with the oldest sign-in is dropped. */
const MAX_NETWORKS = 20;

/** How long a network stays known after the last sign-in from it. */
const NETWORK_LIFETIME = sql.fragment`interval '90 days'`;

type UsersNetwork = {
  readonly userId: string;
  /** Pseudonym of the network, 32 bytes. */
  readonly networkTag: Buffer;
};

/**
 * Members of a WITH clause that mark a network as known, for the `user_id` of its member `noted`.
 */
function keepingNetwork(network: UsersNetwork, now: FragmentSqlToken): FragmentSqlToken {
  const hash = sql.binary(networkHash(network));
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
export async function isKnownNetwork(lookups: Lookups, network: UsersNetwork, now: Date) {
  const row = await lookups.maybeOne(sql.type(Known)`
    select exists (
      select from vault.known_networks
      where user_id = ${network.userId} and network = ${sql.binary(networkHash(network))}
        and last_at > ${now.toISOString()}::timestamptz - ${NETWORK_LIFETIME}) as known`);
  return row?.known === true;
}

/** Deletes networks that are no longer known. */
export async function forgetOldNetworks(pool: CommonQueryMethods): Promise<void> {
  await pool.query(sql.unsafe`
    delete from vault.known_networks where last_at < now() - ${NETWORK_LIFETIME}`);
}

function networkHash({ userId, networkTag }: UsersNetwork): Buffer {
  return createHmac("sha256", networkTag).update(userId).digest();
}

/** Stores the permissions of each role; a changed definition replaces the stored one. */
export async function storeRoleDefinitions(
  pool: CommonQueryMethods,
  definitions: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const rows = Object.entries(definitions).map(
    ([role, permissions]) => sql.fragment`(${role}, ${sql.array(permissions, "text")})`,
  );
  await pool.query(sql.unsafe`
    insert into vault.role_definitions (role, permissions)
    values ${sql.join(rows, sql.fragment`, `)}
    on conflict (role) do update set permissions = excluded.permissions`);
}

/** Argon2id's cost (OWASP's minimum); about 16 ms of a thread. */
const COST = { memorySize: 19_456, iterations: 2, parallelism: 1, tagLength: 32 };

const SALT_BYTES = 16;

/**
 * The threads that Argon2id takes at once, of the four of libuv's pool: files, names and compression of all other
 * answers need the rest, and would else wait behind every sign-in that came before.
 */
const THREADS = 2;

export type Passwords = ReturnType<typeof createPasswords>;

export function createPasswords() {
  const argon2id = new Argon2id(COST);
  const nobody = hashOfNobody();
  const slots = createRequestSlots(THREADS);
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => slots.run(work, NOBODY.signal);
  return {
    /** The Argon2id hash of a password in PHC string format. Passwords are NFKC-normalised first. */
    hash: (password: string) => inTurn(() => argon2id.hash(password)),
    /** Whether the password matches the hash; a null hash gives false after the same work. */
    async verify(passwordHash: string | null, password: string): Promise<boolean> {
      const matches = await inTurn(() => argon2id.verify(passwordHash ?? nobody, password));
      return passwordHash !== null && matches;
    },
  };
}

/** A well-formed hash of an unknown password, which takes as long to verify as a real one. */
function hashOfNobody(): string {
  const { memorySize, iterations, parallelism, tagLength } = COST;
  const cost = `m=${memorySize},t=${iterations},p=${parallelism}`;
  return `$argon2id$v=19$${cost}$${phcBase64(SALT_BYTES)}$${phcBase64(tagLength)}`;
}

function phcBase64(bytes: number): string {
  return randomBytes(bytes).toString("base64").replaceAll("=", "");
}
