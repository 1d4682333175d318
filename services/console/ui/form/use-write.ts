import type { CallOptions } from "../../api/call.ts";
import { notice, useAction } from "../call.tsx";
import { useAttempts } from "./attempts.ts";

type Write<Answer> = {
  /** What is written: another attempt of the same has the same key. */
  readonly what?: unknown;
  readonly send: (options: CallOptions) => Promise<Answer>;
  /** What is told once it is done. */
  readonly done?: string;
  readonly after?: (answer: Answer) => void;
  /** However it ends: the list is read anew, above all where somebody else was first. */
  readonly reload?: () => void;
  /** What a failure means. */
  readonly explain?: (error: unknown) => unknown;
};

/** What a button or a switch writes without a form. @param about as of `useAttempts` */
export function useWrite(about?: unknown) {
  const { isBusy, run } = useAction();
  const attempt = useAttempts(about);
  const write = <Answer>({ what = null, send, done, after, reload, explain }: Write<Answer>) =>
    run(
      async () => {
        const answer = await attempt(what, (idempotencyKey) => send({ idempotencyKey }));
        if (done !== undefined) notice.done(done);
        after?.(answer);
        reload?.();
      },
      (error) => {
        notice.error(explain ? explain(error) : error);
        reload?.();
      },
    );
  return { isBusy, write };
}
