import { beforeAll, describe, expect, test } from "vitest";
import { newAccessToken } from "../../support/api/access-tokens.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { type FeedClient, followEvents } from "../../support/feed-client.ts";
import { sharedService } from "../../support/service.ts";
import { giveRight, newGroup, type Person, person, restricted } from "./rights-scene.ts";

/** Longest time that a stream goes on without the right to it, and some for the machine. */
const ENDS_MS = 5_000;
const LIMIT_MS = 15_000;

const service = sharedService();
let owner: Person;
const admin = service.client("admin");
beforeAll(async () => {
  owner = await person(service, "editor");
});

type Follower = { readonly id: string; readonly token: string };

async function follower(role: "viewer" | "admin" = "viewer"): Promise<Follower> {
  const { id, signIn } = await newAccount(service, role);
  return { id, token: (await signIn()).token };
}

function follow(catalogue: string, { token }: Follower): Promise<FeedClient> {
  return followEvents(`${service.url}/api/catalogues/${catalogue}/feed`, { token });
}

/** @returns how long the stream went on after a change, in milliseconds */
async function endsAfter(stream: FeedClient, change: () => Promise<unknown>): Promise<number> {
  await change();
  const since = performance.now();
  await stream.ended();
  return performance.now() - since;
}

describe("a stream ends with the right to read", () => {
  test(
    "when the member is removed, and others' go on",
    async () => {
      const { id } = await restricted(owner.client);
      const [leaving, staying] = [await follower(), await follower()];
      for (const one of [leaving, staying]) await giveRight(owner.client, id, one.id, "read");
      const stays = await follow(id, staying);
      const ends = await follow(id, leaving);
      const path = `/api/catalogues/${id}`;
      const remove = () => owner.client.send("DELETE", `${path}/members/${leaving.id}`);
      expect(await endsAfter(ends, remove)).toBeLessThan(ENDS_MS);
      await owner.client.send("POST", `${path}/events`, { events: [event()] });
      expect((await stays.next())?.action).toBe("create");
      stays.close();
    },
    LIMIT_MS,
  );

  test(
    "when the catalogue is restricted",
    async () => {
      const { id } = await createCatalogue(owner.client);
      const stream = await follow(id, await follower());
      const restrict = () =>
        owner.client.send("PATCH", `/api/catalogues/${id}`, { access: "restricted" });
      expect(await endsAfter(stream, restrict)).toBeLessThan(ENDS_MS);
    },
    LIMIT_MS,
  );

  test(
    "when a group loses its user, or is deleted",
    async () => {
      const { id } = await restricted(owner.client);
      const [one, other] = [await follower(), await follower()];
      const group = await newGroup(admin, [one.id, other.id]);
      await giveRight(owner.client, id, group, "read");
      const path = `/api/groups/${group}`;
      const first = await follow(id, one);
      const leave = () => admin.send("PATCH", path, { members: [other.id] });
      expect(await endsAfter(first, leave)).toBeLessThan(ENDS_MS);
      const second = await follow(id, other);
      expect(await endsAfter(second, () => admin.send("DELETE", path))).toBeLessThan(ENDS_MS);
    },
    LIMIT_MS,
  );

  test(
    "when the catalogue is restricted, for an administrator's token that is not for administering",
    async () => {
      const { id } = await createCatalogue(owner.client);
      const { client } = await (await newAccount(service, "admin")).signIn();
      const [reads, administers] = await Promise.all(
        (["read", "admin"] as const).map(async (scope) => {
          const { secret } = await newAccessToken(client, { scopes: [scope] });
          return follow(id, { id: scope, token: secret });
        }),
      );
      const path = `/api/catalogues/${id}`;
      const restrict = () => owner.client.send("PATCH", path, { access: "restricted" });
      expect(await endsAfter(reads as FeedClient, restrict)).toBeLessThan(ENDS_MS);
      await owner.client.send("POST", `${path}/events`, { events: [event()] });
      expect((await administers?.next())?.action).toBe("create");
      administers?.close();
    },
    LIMIT_MS,
  );

  test(
    "when an administrator is none any more",
    async () => {
      const { id } = await restricted(owner.client);
      const former = await follower("admin");
      const stream = await follow(id, former);
      const demote = () => admin.send("PATCH", `/api/users/${former.id}`, { role: "viewer" });
      expect(await endsAfter(stream, demote)).toBeLessThan(ENDS_MS);
    },
    LIMIT_MS,
  );
});

function event() {
  return { time: "2020-01-01T00:00:00Z", latitude: -41, longitude: 174, magnitude: 4 };
}
