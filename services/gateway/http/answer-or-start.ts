import { type Asker, staying } from "#infra/kernel/fair-queue.ts";
import type { NewJob } from "#infra/stores/jobs.ts";
import type { JobRunner } from "#services/jobs/job-runner.ts";
import type { Run } from "#services/jobs/run-job.ts";
import { acceptedAnswer } from "./headers/prefer.ts";

type Caller = {
  readonly actor: { readonly userId: string } | null;
  readonly asker: Asker;
  readonly prefersAsync: boolean;
};

type Answered = { readonly body: object };

export type BackgroundWork<A extends Answered> = {
  readonly job: Pick<NewJob, "kind" | "unit" | "reads">;
  /** It runs in the background also for who did not ask for that, where somebody can own the job. */
  readonly isLong?: boolean;
  /** It ends when the caller who waits for it leaves; by default it runs to its end. */
  readonly endsWithCaller?: boolean;
  /** Takes what the work in the background needs of the request. @returns its release */
  readonly keep?: () => () => void;
  readonly work: (run: Run) => Promise<A>;
};

/** Answers when the work is done, or at once with the job that does it. @throws errors of the work; QueueFull */
export async function answerOrStart<A extends Answered>(
  runner: Pick<JobRunner, "attend" | "start">,
  { actor, asker, prefersAsync }: Caller,
  { job, isLong = false, endsWithCaller = false, keep, work }: BackgroundWork<A>,
): Promise<A | ReturnType<typeof acceptedAnswer>> {
  if (actor === null || !(prefersAsync || isLong)) {
    return runner.attend(endsWithCaller ? asker : staying(asker), work);
  }
  const release = keep?.() ?? nothing;
  const started = runner.start({ ...job, owner: actor.userId }, asker, async (run) => {
    const { body } = await work(run).finally(release);
    return body as Readonly<Record<string, unknown>>;
  });
  // Work that could not be started ends with that.
  started.catch(release);
  return acceptedAnswer(await started);
}

function nothing(): void {}
