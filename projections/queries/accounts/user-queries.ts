import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { UserDetails } from "#contracts/http/accounts/users.ts";
import { Role } from "#contracts/roles.ts";
import { isoTime, isoTimes } from "#infra/postgres/iso-time.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import {
  CreatedKey,
  createdBefore,
  createdKeyOf,
  type ListPage,
  type ListRequest,
  readListPage,
} from "../long-list.ts";

const DETAILS = sql.fragment`
  u.id, u.email, u.name, u.role, u.is_active, u.email_verified,
  ${isoTimes("u.created_at", "u.updated_at")}, ${isoTime("c.last_login_at")} as last_login
  from read_model.users u left join vault.credentials c on c.user_id = u.id`;

/** All accounts, newest first. */
export function listUsers(
  pool: CommonQueryMethods,
  request: ListRequest,
): Promise<ListPage<UserDetails>> {
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
export function findAccountByEmail(
  lookups: Lookups,
  emailHmac: string,
): Promise<LoginAccount | null> {
  return lookups.maybeOne(sql.type(LoginAccount)`
    select ${LOGIN_ACCOUNT} where u.email_hmac = ${emailHmac}`);
}

/** The same, by the institute's account that it is tied to. */
export function findAccountByIdentity(
  lookups: Lookups,
  identityHmac: string,
): Promise<LoginAccount | null> {
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
export function readSession(
  lookups: Lookups,
  { sessionId, userId, now }: SessionClaim,
): Promise<LiveSession | null> {
  return lookups.maybeOne(sql.type(LiveSession)`
    select u.id as "userId", u.email, u.name, u.role, s.id as "sessionId",
      ${isoTime("s.expires_at")} as expires
    from vault.sessions s join read_model.users u on u.id = s.user_id
    where s.id = ${sessionId}::uuid and s.user_id = ${userId}
      and s.revoked_at is null and s.expires_at > ${now.toISOString()}::timestamptz
      and u.is_active`);
}
