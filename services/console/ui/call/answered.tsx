import type { ComponentChildren } from "preact";
import { Waiting } from "../states.tsx";
import { ErrorNotice } from "./notices.tsx";
import type { Loaded } from "./use-call.ts";

type AnsweredProps<T> = {
  readonly call: Pick<Loaded<T>, "answer" | "error"> & Partial<Pick<Loaded<T>, "reload">>;
  /** What is shown, where it is not the answer to the present key. */
  readonly answer?: T | null;
  /** What is said while there is neither an answer nor an error. */
  readonly waiting?: string | undefined;
  readonly children: (answer: NonNullable<T>) => ComponentChildren;
};

/** A call's answer; above it, or in its place, why the last attempt failed; before both, that it is waited for. */
export function Answered<T>(props: AnsweredProps<T>) {
  const { call, answer = call.answer, waiting, children } = props;
  return (
    <>
      <ErrorNotice error={call.error} retry={call.reload} />
      {answer === null || answer === undefined
        ? call.error === null && <Waiting text={waiting} />
        : children(answer)}
    </>
  );
}
