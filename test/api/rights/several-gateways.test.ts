import { beforeAll, expect, test } from "vitest";
import { newAccessToken } from "../../support/api/access-tokens.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { type ApiAnswer, createApiClient } from "../../support/api-client.ts";
import { followEvents } from "../../support/feed-client.ts";
import { useService } from "../../support/service.ts";
import { giveRight, newGroup, type Person, restricted } from "./rights-scene.ts";

const service = useService();
const others = [0, 1].map(() => useService({ ROLES: "gateway" }, { copyOf: service }));
let owner: Person;
let ownersToken: string;
const admin = service.client("admin");
beforeAll(async () => {
  const { id, signIn } = await newAccount(service, "editor");
  const { client, token } = await signIn();
  owner = { id, client };
  ownersToken = token;
});

/** Guests read it of no catalogue. */
const FOR_ACCOUNTS = "/export";

/** Some of them keep what they have read. */
const READS = [
  "",
  "/events",
  "/events/columns",
  "/versions",
  FOR_ACCOUNTS,
  "/analytics/summary",
  "/analytics/rates.svg",
  "/fdsnws/event/1/query",
  "/feed/v1.0/summary/all_month.geojson",
] as const;

type Ending = {
  readonly catalogue: string;
  readonly token: string | undefined;
  readonly end: () => Promise<unknown>;
};

const ENDINGS: Readonly<Record<string, () => Promise<Ending>>> = {
  "a member is removed": async () => {
    const { id } = await restricted(owner.client);
    const { member, token } = await reader(id);
    const path = `/api/catalogues/${id}/members/${member}`;
    return { catalogue: id, token, end: () => owner.client.send("DELETE", path) };
  },
  "a group loses its user": async () => {
    const { id } = await restricted(owner.client);
    const account = await newAccount(service, "viewer");
    const group = await newGroup(admin, [account.id]);
    await giveRight(owner.client, id, group, "read");
    const { token } = await account.signIn();
    const end = () => admin.send("PATCH", `/api/groups/${group}`, { members: [] });
    return { catalogue: id, token, end };
  },
  "a catalogue is restricted": async () => {
    const { id } = await createCatalogue(owner.client);
    const { token } = await (await newAccount(service, "viewer")).signIn();
    return { catalogue: id, token, end: () => setAccess(id, "restricted") };
  },
  "a group is deleted": async () => {
    const { id } = await restricted(owner.client);
    const account = await newAccount(service, "viewer");
    const group = await newGroup(admin, [account.id]);
    await giveRight(owner.client, id, group, "read");
    const { token } = await account.signIn();
    return { catalogue: id, token, end: () => admin.send("DELETE", `/api/groups/${group}`) };
  },
  "a catalogue is restricted, for an administrator's token that is not for administering":
    async () => {
      const { id } = await createCatalogue(owner.client);
      const { client } = await (await newAccount(service, "admin")).signIn();
      const { secret } = await newAccessToken(client, { scopes: ["read"] });
      return { catalogue: id, token: secret, end: () => setAccess(id, "restricted") };
    },
  "an administrator is none any more": async () => {
    const { id } = await restricted(owner.client);
    const account = await newAccount(service, "admin");
    const { token } = await account.signIn();
    const end = () => admin.send("PATCH", `/api/users/${account.id}`, { role: "viewer" });
    return { catalogue: id, token, end };
  },
  "a public catalogue is restricted": async () => {
    const { id } = await createCatalogue(owner.client, { access: "public" });
    return { catalogue: id, token: undefined, end: () => setAccess(id, "restricted") };
  },
};

const CASES = Object.entries(ENDINGS);

const setAccess = (id: string, access: string) =>
  owner.client.send("PATCH", `/api/catalogues/${id}`, { access });

async function reader(catalogue: string) {
  const { id: member, signIn } = await newAccount(service, "viewer");
  await giveRight(owner.client, catalogue, member, "read");
  return { member, token: (await signIn()).token };
}

test("a right that ends at one gateway ends at the others, for requests and for streams", async () => {
  const bites = async ([what, prepare]: (typeof CASES)[number]) => {
    const { catalogue, token, end } = await prepare();
    const base = `/api/catalogues/${catalogue}`;
    const clients = others.map(({ url }) => createApiClient(url, token));
    const reads = READS.filter((path) => token !== undefined || path !== FOR_ACCOUNTS);
    const statuses = async () => {
      const asked = clients.flatMap((client) => reads.map((path) => client.get(base + path)));
      return new Set((await Promise.all(asked)).map(({ status }) => status));
    };
    expect(await statuses(), what).toEqual(new Set([200]));
    const feeds = others.map(({ url }) =>
      followEvents(`${url}${base}/feed`, token === undefined ? {} : { token }),
    );
    const streams = await Promise.all(feeds);
    const owners = await followEvents(`${others[0]?.url}${base}/feed`, { token: ownersToken });
    expect(await end(), what).toMatchObject({ status: 200 });
    await expect.poll(statuses, { interval: 50 }).not.toContain(200);
    await Promise.all(streams.map((stream) => stream.ended()));
    // That of who may read it still goes on.
    await owner.client.send("POST", `${base}/events`, { events: [seismicEvent()] });
    expect((await owners.next())?.action, what).toBe("create");
    owners.close();
  };
  await Promise.all(CASES.map(bites));
});

test("an access token that one gateway ends is ended at another, for requests and for streams", async () => {
  const { signIn, id: account } = await newAccount(service, "editor");
  const { client } = await signIn();
  const catalogue = await createCatalogue(client);
  const base = `${others[0]?.url}/api/catalogues/${catalogue.id}`;
  const endings: Readonly<Record<string, (id: string) => Promise<ApiAnswer>>> = {
    "ended by its owner": (id) => client.send("DELETE", `/api/tokens/${id}`),
    "asleep with its owner": () =>
      admin.send("PATCH", `/api/users/${account}`, { is_active: false }),
  };
  for (const [how, end] of Object.entries(endings)) {
    const { id, secret } = await newAccessToken(client);
    const script = createApiClient(base, secret);
    const status = async () => (await script.get(`${base}/events`)).status;
    expect(await status(), how).toBe(200);
    const stream = await followEvents(`${base}/feed`, { token: secret });
    expect(await end(id), how).toMatchObject({ status: 200 });
    expect(await status(), how).toBe(401);
    await stream.ended();
  }
});

test("an administrator's change bites on the user's very next request to another gateway", async () => {
  const { id, signIn } = await newAccount(service, "viewer");
  const signedIn = async () => createApiClient(others[1]?.url ?? "", (await signIn()).token);
  let user = await signedIn();
  const create = async () =>
    (await user.send("POST", "/api/catalogues", { name: "x", events: [] })).status;
  const change = (body: unknown) => admin.send("PATCH", `/api/users/${id}`, body);
  expect(await create()).toBe(403);
  await change({ role: "editor" });
  expect(await create()).toBe(201);
  await change({ is_active: false });
  expect(await create()).toBe(401);
  await change({ is_active: true });
  expect(await create()).toBe(401);
  user = await signedIn();
  expect(await create()).toBe(201);
  // Signed out at the first.
  const { token, client } = await signIn();
  user = createApiClient(others[1]?.url ?? "", token);
  expect(await create()).toBe(201);
  await client.send("POST", "/api/auth/logout");
  expect(await create()).toBe(401);
  user = await signedIn();
  await admin.send("DELETE", `/api/users/${id}`);
  expect(await create()).toBe(401);
});
