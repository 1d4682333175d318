import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import type { Job } from "#contracts/http/jobs.ts";
import type { FoundJob, JobStore } from "#infra/jobs/job-store.ts";
import { createStreamPlaces } from "#services/gateway/capacity/stream-places.ts";
import type { Actor } from "#services/gateway/http/handler.ts";
import { streamJobHandler } from "#services/gateway/routes/stream-job.ts";
import { buildBareApp } from "../../support/bare-app.ts";

const ID = "5b0c8f0e-6c8d-4b8e-9a55-0d3c0a1f7e11";
const OWNER: Actor = {
  userId: "owner",
  sessionId: "0b0c8f0e-6c8d-4b8e-9a55-0d3c0a1f7e12",
  email: "owner@example.org",
  name: "Owner",
  role: "editor",
  expires: "2100-01-01T00:00:00.000Z",
};

const closes: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closes.map((close) => close())));

/** A job, of which the state at each look is told, as the owner's sessions see it. */
async function scene(at: (look: number) => Job["status"], limit = 100) {
  let actor: Actor | null = OWNER;
  let looks = 0;
  const find = async (): Promise<FoundJob> => {
    looks += 1;
    const progress = { done: looks, total: 1000, unit: "events" };
    const time = "2020-01-01T00:00:00.000Z";
    const job = { id: ID, kind: "merge", progress, created_at: time, updated_at: time } as const;
    return { owner: "owner", reads: null, isNaming: false, job: { ...job, status: at(looks) } };
  };
  const readActor = async () => actor;
  const none = async () => null as never;
  const handler = streamJobHandler({
    store: { find } as unknown as JobStore,
    stopping: new AbortController().signal,
    lookups: { maybeOne: none, any: none } as Parameters<typeof streamJobHandler>[0]["lookups"],
    readActorAgain: readActor,
    streamPlaces: createStreamPlaces({ limit }),
  });
  const app = await buildBareApp({ streamOperation: handler }, { readActor });
  closes.push(() => app.close());
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const token = app.jwt.sign({ sub: "owner", sid: OWNER.sessionId, exp: 4_102_444_800 });
  const headers = { authorization: `Bearer ${token}` };
  return {
    looks: () => looks,
    signOut: () => {
      actor = null;
    },
    open: () => fetch(`http://127.0.0.1:${port}/api/operations/${ID}/stream`, { headers }),
  };
}

const STREAMS = 20;

describe.concurrent("streams of jobs", () => {
  test("many streams of one job look at it together", async () => {
    const { open, looks } = await scene((look) => (look > STREAMS + 3 ? "succeeded" : "running"));
    const answers = await Promise.all(Array.from({ length: STREAMS }, open));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    for (const text of texts) expect(text).toContain('"status":"succeeded"');
    expect(looks()).toBeLessThan(2 * STREAMS);
  });

  test("the stream of a job ends within seconds of the session of who follows it", async () => {
    const { open, signOut } = await scene(() => "running");
    const answer = await open();
    signOut();
    expect(await answer.text()).toContain('"status":"running"');
  });

  test("more streams of jobs than a process keeps open are refused", async () => {
    const { open } = await scene(() => "running", 1);
    const first = await open();
    const second = await open();
    expect([second.status, second.headers.get("retry-after")]).toEqual([503, "10"]);
    await first.body?.cancel();
  });
});
