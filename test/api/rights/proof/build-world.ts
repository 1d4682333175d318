import { randomUUID } from "node:crypto";
import pg from "pg";
import { SCOPES, type Scope } from "#contracts/access-scopes.ts";
import { CatalogueAccess, Editing, MemberRight, type Role } from "#contracts/rights.ts";
import { newAccessToken } from "../../../support/api/access-tokens.ts";
import { newAccount } from "../../../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../../../support/api/catalogue.ts";
import { type ApiClient, createApiClient } from "../../../support/api-client.ts";
import type { Random } from "../../../support/random.ts";
import type { TestService } from "../../../support/service.ts";
import { giveRight, newGroup } from "../rights-scene.ts";
import { isThere } from "./model.ts";
import type { Catalogue, Group, Share, Token, User, World } from "./world.ts";

const ROLES: readonly Role[] = ["viewer", "viewer", "editor", "editor", "editor", "admin"];
const GROUPS = 3;
const CATALOGUES = 9;
const TOKENS = 24;
const HOUR_MS = 3_600_000;

/** A token is for no more than its maker may. */
const SCOPES_OF: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ["read"],
  editor: ["read", "write"],
  admin: SCOPES,
};

/** Makes a world at random: some of everything that rights are about. */
export async function buildWorld(service: TestService, random: Random): Promise<World> {
  const admin = await service.loginAs("admin");
  await (await service.loginAs("editor")).send("POST", "/api/sample");
  const users = await Promise.all(ROLES.map((role) => newUser(service, role)));
  const groups: Group[] = [];
  for (let i = 0; i < GROUPS; i += 1) {
    const members = users.filter(() => random.chance(0.3)).map(({ id }) => id);
    groups.push({ id: await newGroup(admin, members), members: new Set(members) });
  }
  const catalogues: Catalogue[] = [];
  const makers = users.filter(({ role }) => role !== "viewer");
  for (let i = 0; i < CATALOGUES; i += 1) {
    const maker = random.pick(makers);
    catalogues.push(await newCatalogue(service.url, admin, maker, [users, groups], random));
  }
  const world: World = { users, groups, catalogues, tokens: [], shares: [], now: soon() };
  for (let i = 0; i < TOKENS; i += 1) await newToken(service.url, world, random);
  for (const catalogue of catalogues) await newShare(admin, world, catalogue);
  await expireSome(service.databaseUrl, world.tokens, random);
  return world;
}

function soon(): string {
  return new Date(Date.now() + HOUR_MS).toISOString().replaceAll(/[-:]|\.\d+/g, "");
}

async function newUser(service: TestService, role: Role): Promise<User> {
  const account = await newAccount(service, role);
  const signIn = async () => (await account.signIn()).token;
  return { id: account.id, role, secret: await signIn(), signIn, isActive: true };
}

async function newCatalogue(
  url: string,
  admin: ApiClient,
  maker: User,
  [users, groups]: readonly [readonly User[], readonly Group[]],
  random: Random,
): Promise<Catalogue> {
  const [name, note] = [`name ${randomUUID()}`, `note ${randomUUID()}`];
  const access = random.pick(CatalogueAccess.options);
  const editing = random.pick(Editing.options);
  const form = { name, access, editing, events: [seismicEvent({ note })] };
  const { id } = await createCatalogue(createApiClient(url, maker.secret), form);
  const event = await eventOf(admin, id);
  const members = new Map<string, MemberRight>([[maker.id, "own"]]);
  for (const one of [...users, ...groups]) {
    if (one === maker || !random.chance(0.25)) continue;
    const right = random.pick(MemberRight.options);
    await giveRight(admin, id, one.id, right);
    members.set(one.id, right);
  }
  return { id, markers: [name, note, event], event, access, editing, members };
}

/** The first event of a catalogue. */
export async function eventOf(admin: ApiClient, catalogue: string): Promise<string> {
  type Events = { events: { id: string }[] };
  const { body } = await admin.get<Events>(`/api/catalogues/${catalogue}/events`);
  return body.events[0]?.id ?? "";
}

/** A token of somebody for some scopes, for some catalogues alone, or for all. */
export async function newToken(url: string, world: World, random: Random): Promise<void> {
  const owner = random.pick(world.users.filter(({ isActive }) => isActive));
  const scopes = [random.pick(SCOPES_OF[owner.role])];
  const there = world.catalogues.filter((one) =>
    isThere(world, { kind: "session", user: owner }, one),
  );
  const some = there.filter(() => random.chance(0.4)).map(({ id }) => id);
  const catalogues = random.chance(0.4) && some.length > 0 ? some : null;
  const client = createApiClient(url, owner.secret);
  const { id, secret } = await newAccessToken(client, { scopes, catalogues });
  world.tokens.push({ id, secret, owner, scopes, catalogues, isDead: false });
}

export async function newShare(
  client: ApiClient,
  world: World,
  catalogue: Catalogue,
): Promise<void> {
  type Shared = { share: { id: string; url: string } };
  const path = `/api/catalogues/${catalogue.id}/shares`;
  const { id, url } = (await client.send<Shared>("POST", path, {})).body.share;
  const share: Share = { id, secret: url.split("/").at(-1) ?? "", catalogue, isEnded: false };
  world.shares.push(share);
}

async function expireSome(
  databaseUrl: string,
  tokens: readonly Token[],
  random: Random,
): Promise<void> {
  const expired = tokens.filter(() => random.chance(0.15));
  for (const token of expired) token.isDead = true;
  const database = new pg.Client(databaseUrl);
  await database.connect();
  try {
    await database.query(
      "update read_model.access_tokens set expires_at = now() - interval '1 second' where id = any($1)",
      [expired.map(({ id }) => id)],
    );
  } finally {
    await database.end();
  }
}
