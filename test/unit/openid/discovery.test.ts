import { Configuration } from "openid-client";
import { expect, test } from "vitest";
import { HOUR_MS } from "#contracts/units.ts";
import { createDiscovery } from "#infra/openid/discovery.ts";

/** A provider whose answers are made one by one, and a clock. */
function scene() {
  let time = 0;
  const asked: PromiseWithResolvers<Configuration>[] = [];
  const ask = (): Promise<Configuration> => {
    const answer = Promise.withResolvers<Configuration>();
    asked.push(answer);
    return answer.promise;
  };
  const { known, answering } = createDiscovery(ask, () => time);
  const advance = (ms: number): void => {
    time += ms;
  };
  return { known, answering, asked, advance };
}

const configuration = () => new Configuration({ issuer: "https://sso.example.org" }, "client");

test("a provider is asked once for all who wait, and not again within an hour", async () => {
  const { known, asked, advance } = scene();
  const both = Promise.all([known(), known()]);
  expect(asked).toHaveLength(1);
  const answer = configuration();
  asked[0]?.resolve(answer);
  expect(await both).toEqual([answer, answer]);
  advance(HOUR_MS - 1);
  expect(await known()).toBe(answer);
  expect(asked).toHaveLength(1);
});

test("a provider is asked again after a failure", async () => {
  const { known, asked } = scene();
  const first = known();
  asked[0]?.reject(new Error("no answer"));
  await expect(first).rejects.toThrow("no answer");
  const second = known();
  const answer = configuration();
  asked[1]?.resolve(answer);
  expect(await second).toBe(answer);
});

test("after an hour a provider is asked anew; while it does not answer, what is known is used", async () => {
  const { known, asked, advance } = scene();
  const first = known();
  const answer = configuration();
  asked[0]?.resolve(answer);
  await first;
  advance(HOUR_MS);
  const later = known();
  asked[1]?.reject(new Error("no answer"));
  expect(await later).toBe(answer);
  const newer = known();
  const next = configuration();
  asked[2]?.resolve(next);
  expect(await newer).toBe(next);
});

test("a provider counts as answering for a second; then it is asked, and what is known is not enough", async () => {
  const { known, answering, asked, advance } = scene();
  const first = answering();
  const answer = configuration();
  asked[0]?.resolve(answer);
  expect(await first).toBe(answer);
  advance(999);
  expect(await answering()).toBe(answer);
  expect(asked).toHaveLength(1);
  advance(1);
  const later = answering();
  asked[1]?.reject(new Error("no answer"));
  await expect(later).rejects.toThrow("no answer");
  expect(await known()).toBe(answer);
  expect(asked).toHaveLength(2);
});
