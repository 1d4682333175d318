import { randomUUID } from "node:crypto";
import { CatalogueAccess, Editing, MemberRight } from "#contracts/rights.ts";
import { type ApiAnswer, type ApiClient, createApiClient } from "../../../support/api-client.ts";
import type { Random } from "../../../support/random.ts";
import { eventOf, newShare, newToken } from "./build-world.ts";
import { isOwnedWithout, isThere } from "./model.ts";
import type { Catalogue, World } from "./world.ts";

type Change = (world: World, random: Random, admin: ApiClient, url: string) => Promise<void>;

/** Changes something that rights follow from, and the world with it: it holds from the next request on. */
export async function changeWorld(
  world: World,
  random: Random,
  admin: ApiClient,
  url: string,
): Promise<void> {
  await random.pick(CHANGES)(world, random, admin, url);
}

function done({ status, body }: ApiAnswer): void {
  if (status >= 300) throw new Error(`a change answered ${status}: ${JSON.stringify(body)}`);
}

const pathOf = ({ id }: Catalogue) => `/api/catalogues/${id}`;

/** One who did not make the catalogue, so that an owner stays. */
function anyMember({ users, groups }: World, { members }: Catalogue, random: Random): string {
  const [maker] = members.keys();
  return random.pick([...users, ...groups].filter(({ id }) => id !== maker)).id;
}

const setAccess: Change = async (world, random, admin) => {
  const catalogue = random.pick(world.catalogues);
  const access = random.pick(CatalogueAccess.options);
  done(await admin.send("PATCH", pathOf(catalogue), { access }));
  catalogue.access = access;
};

const setEditing: Change = async (world, random, admin) => {
  const catalogue = random.pick(world.catalogues);
  const editing = random.pick(Editing.options);
  done(await admin.send("PATCH", pathOf(catalogue), { editing }));
  catalogue.editing = editing;
};

/** The maker may be a viewer by now, or not active, and the last who may own is not to go: 409. */
function isRefused(world: World, { status }: ApiAnswer, catalogue: Catalogue, gone: string) {
  const isOwner = catalogue.members.get(gone) === "own";
  const isLast = isOwner && !isOwnedWithout(world, catalogue, gone);
  if ((status === 409) !== isLast) throw new Error(`the end of an owner answered ${status}`);
  return isLast;
}

const setMember: Change = async (world, random, admin) => {
  const catalogue = random.pick(world.catalogues);
  const member = anyMember(world, catalogue, random);
  const right = random.pick(MemberRight.options);
  const answer = await admin.send("PUT", `${pathOf(catalogue)}/members/${member}`, { right });
  if (right !== "own" && isRefused(world, answer, catalogue, member)) return;
  done(answer);
  catalogue.members.set(member, right);
};

const removeMember: Change = async (world, random, admin) => {
  const catalogue = random.pick(world.catalogues);
  const [, ...others] = catalogue.members.keys();
  if (others.length === 0) return;
  const member = random.pick(others);
  const answer = await admin.send("DELETE", `${pathOf(catalogue)}/members/${member}`);
  if (isRefused(world, answer, catalogue, member)) return;
  done(answer);
  catalogue.members.delete(member);
};

const setGroup: Change = async (world, random, admin) => {
  const group = random.pick(world.groups);
  const members = world.users.filter(() => random.chance(0.3)).map(({ id }) => id);
  const changed = { ...group, members: new Set(members) };
  const groups = world.groups.map((one) => (one === group ? changed : one));
  const isOwned = (at: World) => (one: Catalogue) => isOwnedWithout(at, one, "nobody");
  const owned = world.catalogues.filter(isOwned(world));
  const isLast = !owned.every(isOwned({ ...world, groups }));
  const answer = await admin.send("PATCH", `/api/groups/${group.id}`, { members });
  if ((answer.status === 409) !== isLast) throw new Error(`a group answered ${answer.status}`);
  if (isLast) return;
  done(answer);
  group.members.clear();
  for (const id of members) group.members.add(id);
};

const setRole: Change = async ({ users }, random, admin) => {
  const user = random.pick(users);
  const role = random.pick(["viewer", "editor", "editor", "admin"] as const);
  done(await admin.send("PATCH", `/api/users/${user.id}`, { role }));
  user.role = role;
};

const setActive: Change = async ({ users }, random, admin) => {
  const user = random.pick(users);
  const isActive = !user.isActive;
  done(await admin.send("PATCH", `/api/users/${user.id}`, { is_active: isActive }));
  user.isActive = isActive;
  if (isActive) user.secret = await user.signIn();
};

const endToken: Change = async (world, random, admin, url) => {
  const token = random.pick(world.tokens.filter(({ isDead }) => !isDead));
  done(await admin.send("DELETE", `/api/tokens/${token.id}`));
  token.isDead = true;
  if (world.users.some(({ isActive }) => isActive)) await newToken(url, world, random);
};

const endShare: Change = async (world, random, admin) => {
  const share = random.pick(world.shares.filter(({ isEnded }) => !isEnded));
  done(await admin.send("DELETE", `${pathOf(share.catalogue)}/shares/${share.id}`));
  share.isEnded = true;
  await newShare(admin, world, share.catalogue);
};

/** A catalogue of a few merges is enough for a world. */
const MOST_CATALOGUES = 12;

/** Merges two catalogues of somebody, who owns the result; who reads it may be no reader of its sources. */
const merge: Change = async (world, random, admin, url) => {
  const makers = world.users.filter(({ role, isActive }) => isActive && role !== "viewer");
  if (makers.length === 0 || world.catalogues.length >= MOST_CATALOGUES) return;
  const user = random.pick(makers);
  const there = world.catalogues.filter((one) => isThere(world, { kind: "session", user }, one));
  const first = random.pick(there);
  const second = random.pick(there);
  if (first === second) return;
  const access = random.pick(CatalogueAccess.options);
  const name = `name ${randomUUID()}`;
  const sources = [first, second].map((one) => ({ one, label: `label ${randomUUID()}` }));
  const form = {
    name,
    access,
    sourceCatalogues: sources.map(({ one, label }) => ({ id: one.id, source: label })),
    config: { timeThreshold: 1, distanceThreshold: 1, mergeStrategy: "quality", priority: "" },
  };
  type Merged = { catalogueId: string };
  const client = createApiClient(url, user.secret);
  const merged = await client.send<Merged>("POST", "/api/merge", form);
  done(merged);
  const id = merged.body.catalogueId;
  for (const { one, label } of sources) {
    // What its events hold is the merged one's, too.
    one.markers = [...one.markers.filter((text) => !text.startsWith("note ")), label];
  }
  const event = await eventOf(admin, id);
  const members = new Map([[user.id, "own" as MemberRight]]);
  const made = {
    ...{ id, markers: [name, event], event, access, editing: "all" as const, members },
    sources: [first, second],
  };
  world.catalogues.push(made);
  await newShare(admin, world, made);
};

const CHANGES: readonly Change[] = [
  setAccess,
  setEditing,
  setMember,
  setMember,
  removeMember,
  setGroup,
  setRole,
  setActive,
  endToken,
  endShare,
  merge,
];
