import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { SCOPES } from "#contracts/access-scopes.ts";
import {
  AccessToken,
  Group,
  RoleRequest,
  type RoleRequestStatus,
  UserDetails,
} from "#contracts/http/accounts.ts";
import { Role } from "#contracts/rights.ts";
import { isoTime, isoTimes, type Lookups } from "#infra/postgres/statements.ts";
import {
  CreatedKey,
  CreatedUuidKey,
  createdBefore,
  createdKeyOf,
  type ListPage,
  type ListRequest,
  readListPage,
  uuidOrNull,
} from "./lists.ts";

const DETAILS = sql.fragment`
  u.id, u.email, u.name, u.role, u.is_active, u.email_verified,
  ${isoTimes("u.created_at", "u.updated_at")}, ${isoTime("c.last_login_at")} as last_login
  from read_model.users u left join vault.credentials c on c.user_id = u.id`;

/** All accounts, newest first. */
export function listUsers(pool: CommonQueryMethods, request: ListRequest) {
  const read = (after: CreatedKey | null, limit: number) =>
    pool.any(sql.type(UserDetails)`
      select ${DETAILS} where ${createdBefore("u", after)}
      order by u.created_at desc, u.id desc limit ${limit}`);
  return readListPage({ name: "users", key: CreatedKey, keyOf: createdKeyOf, read }, request);
}

export function findUser(lookups: Lookups, userId: string): Promise<UserDetails | null> {
  return lookups.maybeOne(sql.type(UserDetails)`select ${DETAILS} where u.id = ${userId}`);
}

const LoginAccount = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: Role,
  is_active: z.boolean(),
  /** Null without a password. */
  password_hash: z.string().nullable(),
  /** Of the institute's account that signs in; null without one. */
  identity_issuer: z.string().nullable(),
});
export type LoginAccount = z.infer<typeof LoginAccount>;

const LOGIN_ACCOUNT = sql.fragment`
  u.id, u.email, u.name, u.role, u.is_active, c.password_hash, u.identity_issuer
  from read_model.users u join vault.credentials c on c.user_id = u.id`;

/** The data of an account that a login needs, by address. */
export function findAccountByEmail(lookups: Lookups, emailHmac: string) {
  return lookups.maybeOne(sql.type(LoginAccount)`
    select ${LOGIN_ACCOUNT} where u.email_hmac = ${emailHmac}`);
}

/** The same, by the institute's account that it is tied to. */
export function findAccountByIdentity(lookups: Lookups, identityHmac: string) {
  return lookups.maybeOne(sql.type(LoginAccount)`
    select ${LOGIN_ACCOUNT} where u.identity_hmac = ${identityHmac}`);
}

/** The same, by its id. */
export function findLoginAccount(lookups: Lookups, userId: string): Promise<LoginAccount | null> {
  return lookups.maybeOne(sql.type(LoginAccount)`select ${LOGIN_ACCOUNT} where u.id = ${userId}`);
}

export function listActiveAdministratorIds(pool: CommonQueryMethods): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(z.object({ id: z.string() }))`
    select id from read_model.users where role = 'admin' and is_active order by id`);
}

const LiveSession = z.object({
  userId: z.string(),
  email: z.string(),
  name: z.string(),
  role: Role,
  sessionId: z.string(),
  /** ISO 8601; when the session ends. */
  expires: z.string(),
});

/** A session with its user's present state. */
export type LiveSession = Readonly<z.infer<typeof LiveSession>>;

type SessionClaim = {
  /** UUID. */
  readonly sessionId: string;
  readonly userId: string;
  readonly now: Date;
};

/**
 * The session if it belongs to the user, has neither ended nor expired, and the user is active; else
 * null. Runs on every authenticated request: two lookups by primary key.
 */
export function readSession(lookups: Lookups, { sessionId, userId, now }: SessionClaim) {
  return lookups.maybeOne(sql.type(LiveSession)`
    select u.id as "userId", u.email, u.name, u.role, s.id as "sessionId",
      ${isoTime("s.expires_at")} as expires
    from vault.sessions s join read_model.users u on u.id = s.user_id
    where s.id = ${sessionId}::uuid and s.user_id = ${userId}
      and s.revoked_at is null and s.expires_at > ${now.toISOString()}::timestamptz
      and u.is_active`);
}

const RECORD = sql.fragment`
  r.id, r.user_id, u.email as user_email, u.name as user_name,
  r.role_before as "current_role", r.requested_role, r.justification, r.status, r.admin_notes,
  ${isoTimes("r.created_at", "r.updated_at", "r.reviewed_at")}, r.reviewed_by
  from read_model.role_requests r join read_model.users u on u.id = r.user_id`;

const NEWEST_FIRST = sql.fragment`order by r.created_at desc, r.id desc`;

/** The role requests of all users, optionally of one status. */
export function listRoleRequests(
  pool: CommonQueryMethods,
  { status: only, ...request }: ListRequest & { readonly status?: RoleRequestStatus | undefined },
): Promise<ListPage<RoleRequest>> {
  const status = only ?? null;
  const read = (after: CreatedKey | null, limit: number) =>
    pool.any(sql.type(RoleRequest)`
      select ${RECORD}
      where (${status}::text is null or r.status = ${status}) and ${createdBefore("r", after)}
      ${NEWEST_FIRST} limit ${limit}`);
  const list = { key: CreatedUuidKey, keyOf: createdKeyOf, read };
  return readListPage({ ...list, name: `role requests ${status ?? ""}` }, request);
}

export function listRoleRequestsOf(pool: CommonQueryMethods, userId: string) {
  return pool.any(sql.type(RoleRequest)`
    select ${RECORD} where r.user_id = ${userId} ${NEWEST_FIRST}`);
}

/** `id` is a UUID. */
export function findRoleRequest(pool: CommonQueryMethods, id: string): Promise<RoleRequest | null> {
  return pool.maybeOne(sql.type(RoleRequest)`select ${RECORD} where r.id = ${id}::uuid`);
}

const groupsWhere = (condition: FragmentSqlToken) => sql.type(Group)`
  select id, name, ${isoTimes("created_at", "updated_at")}, coalesce((
      select json_agg(user_id order by user_id) from read_model.group_members m
      where m.group_id = g.id::text), '[]') as members
  from read_model.groups g where ${condition}
  order by lower(name), id`;

/** All groups, by name. */
export function listGroups(pool: CommonQueryMethods): Promise<readonly Group[]> {
  return pool.any(groupsWhere(sql.fragment`true`));
}

/** @param id UUID */
export function findGroup(pool: CommonQueryMethods, id: string): Promise<Group | null> {
  return pool.maybeOne(groupsWhere(sql.fragment`id = ${id}::uuid`));
}

/** Those of some ids that are of no user. */
export async function unknownUsers(pool: CommonQueryMethods, ids: readonly string[]) {
  const rows = await pool.any(sql.type(z.object({ id: z.string() }))`
    select wanted.id from unnest(${sql.array([...ids], "text")}) wanted(id)
    where not exists (select from read_model.users u where u.id = wanted.id)`);
  return rows.map(({ id }) => id);
}

/** The access tokens of a user, newest first; expired ones too, ended ones not. */
export function listAccessTokens(pool: CommonQueryMethods, userId: string) {
  return pool.any(sql.type(AccessToken)`
    select t.id, t.name, t.scopes, t.catalogues::text[],
      ${isoTimes("t.created_at", "t.expires_at", "u.last_used")}
    from read_model.access_tokens t left join vault.token_uses u on u.token_id = t.id
    where t.user_id = ${userId} and t.ended_at is null
    order by t.created_at desc, t.id`);
}

/** The user whose token it is; null for an unknown or ended one. `tokenId` is a UUID. */
export async function ownerOfToken(lookups: Lookups, tokenId: string): Promise<string | null> {
  const row = await lookups.maybeOne(sql.type(z.object({ userId: z.string() }))`
    select user_id as "userId" from read_model.access_tokens
    where id = ${tokenId}::uuid and ended_at is null`);
  return row?.userId ?? null;
}

const PresentedToken = z.object({
  id: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  catalogues: z.array(z.string()).nullable(),
  ha1: z.string(),
  /** ISO 8601. */
  expires: z.string(),
  isEnded: z.boolean(),
  isExpired: z.boolean(),
  usedLately: z.boolean(),
  userId: z.string(),
  email: z.string(),
  name: z.string(),
  role: Role,
  isActive: z.boolean(),
});

/** An access token with its owner's present state. */
export type PresentedToken = Readonly<z.infer<typeof PresentedToken>>;

/** By what a client names its token: the SHA-256 of its secret in hexadecimal, or its id. */
export type TokenName = { readonly secretHash: string } | { readonly id: string };

/**
 * The token that a client presents, whatever its state; null for an unknown one. Runs on every request
 * with a token: lookups by unique keys.
 */
export function readAccessToken(lookups: Lookups, token: TokenName, now: Date) {
  const at = sql.fragment`${now.toISOString()}::timestamptz`;
  const isIt =
    "id" in token
      ? sql.fragment`t.id = ${uuidOrNull(token.id)}::uuid`
      : sql.fragment`t.secret_hash = decode(${token.secretHash}, 'hex')`;
  return lookups.maybeOne(sql.type(PresentedToken)`
    select t.id, t.scopes, t.catalogues::text[], t.ha1, ${isoTime("t.expires_at")} as expires,
      t.ended_at is not null as "isEnded", t.expires_at <= ${at} as "isExpired",
      coalesce(l.last_used > ${at} - interval '1 minute', false) as "usedLately",
      u.id as "userId", u.email, u.name, u.role, u.is_active as "isActive"
    from read_model.access_tokens t
      join read_model.users u on u.id = t.user_id
      left join vault.token_uses l on l.token_id = t.id
    where ${isIt}`);
}

/** Notes that a token is used now. */
export async function noteTokenUse(
  pool: CommonQueryMethods,
  { id, userId }: Pick<PresentedToken, "id" | "userId">,
  now: Date,
): Promise<void> {
  await pool.query(sql.unsafe`
    insert into vault.token_uses (token_id, user_id, last_used)
    select ${id}::uuid, user_id, ${now.toISOString()}::timestamptz
    from vault.user_keys where user_id = ${userId}
    on conflict (token_id) do update set last_used = excluded.last_used`);
}
