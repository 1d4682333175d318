import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { createRandom, type Random } from "../../support/random.ts";
import { runs } from "../../support/runs.ts";
import { useService } from "../../support/service.ts";
import { buildWorld } from "./proof/build-world.ts";
import { changeWorld } from "./proof/change-world.ts";
import { judge } from "./proof/judge.ts";
import type { Verdict } from "./proof/model.ts";
import { randomAsk } from "./proof/requests.ts";
import { closeConnections } from "./proof/send.ts";
import type { Caller, World } from "./proof/world.ts";

const service = useService();
afterAll(closeConnections);

/** Between two changes of the world. */
const AT_ONCE = 25;
/** Of one world. */
const ROUND = runs(1_000, 2 / 5);

/** In `npm test` one round alone. */
const REQUESTS = 100_000;
const PART = 1 / 100;

function anyCaller({ users, tokens }: World, random: Random): Caller {
  const kind = random.pick(["guest", "session", "session", "token", "token"] as const);
  if (kind === "guest") return { kind };
  if (kind === "session") return { kind, user: random.pick(users) };
  return { kind, token: random.pick(tokens) };
}

test("whatever anybody asks for is answered as the contract's rights say", {
  timeout: 2_400_000,
}, async () => {
  const admin = await service.loginAs("admin");
  const verdicts = new Set<Verdict>();
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const random = createRandom(seed);
      const world = await buildWorld(service, random);
      for (let asked = 0; asked < ROUND; asked += AT_ONCE) {
        const asks = Array.from({ length: AT_ONCE }, () => randomAsk(world, random));
        const { url } = service;
        const judged = asks.map((ask) => ({ world, caller: anyCaller(world, random), ask, url }));
        for (const verdict of await Promise.all(judged.map(judge))) verdicts.add(verdict);
        await changeWorld(world, random, admin, url);
      }
    }),
    { numRuns: runs(REQUESTS / 1_000, PART), endOnFailure: true },
  );
  expect(verdicts).toEqual(new Set([401, 403, 404, "allowed"]));
});
