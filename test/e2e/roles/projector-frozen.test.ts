import { expect, onTestFinished, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { holderOf, POLL, useRoles } from "./use-roles.ts";

const LEASE = "projection catalogues";

const scene = useRoles();

test("a projector that is frozen is followed by its standby, and changes nothing when it thaws", async () => {
  const gateway = await scene.start("gateway");
  const projectors = [await scene.start("projector"), await scene.start("projector")];
  const client = await scene.signIn(gateway);
  await expect.poll(() => holderOf(projectors, LEASE) !== undefined, POLL).toBe(true);
  const frozen = holderOf(projectors, LEASE);
  const standby = projectors.filter((projector) => projector !== frozen);
  if (frozen === undefined) throw new Error("no projector holds the lease");

  const create = (seed: number) =>
    client.send<Catalogue>("POST", "/api/catalogues", {
      name: `seed ${seed}`,
      events: [...generateEvents(seed, 20_000)],
    });
  const creating = create(1);
  process.kill(frozen.pid, "SIGSTOP");
  onTestFinished(() => void (frozen.isRunning() && process.kill(frozen.pid, "SIGCONT")));
  const frozenAt = performance.now();
  await expect.poll(() => holderOf(standby, LEASE) !== undefined, POLL).toBe(true);
  const seconds = ((performance.now() - frozenAt) / 1_000).toFixed(1);
  process.stdout.write(`the standby projector took over ${seconds} s after the freeze\n`);
  const first = await creating;
  expect([first.status, first.body.event_count]).toEqual([201, 20_000]);

  process.kill(frozen.pid, "SIGCONT");
  const second = await create(2);
  expect([second.status, second.body.event_count]).toEqual([201, 20_000]);
  await expect
    .poll(
      () =>
        frozen.output().includes("lease lost") || frozen.output().includes("could not be renewed"),
      POLL,
    )
    .toBe(true);
  await Promise.all(standby.map((projector) => projector.kill()));
  const third = await create(3);
  expect([third.status, third.body.event_count]).toEqual([201, 20_000]);
  for (const { body } of [first, second, third]) {
    const path = `/api/catalogues/${body.id}/events?pageSize=1`;
    expect((await client.get<{ total: number }>(path)).body.total).toBe(20_000);
  }
});
