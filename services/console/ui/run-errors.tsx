import type { AnswerOf } from "../model/operation-types.ts";
import { count } from "./text/format.ts";

type Errors = AnswerOf<"GET /api/import/history">[number]["errors"];

/** Why a run failed, or the first thing that it could not take and how many there are. */
export function RunErrors({ errors }: { readonly errors: Errors }) {
  const [first] = errors ?? [];
  const failure = errors?.find(({ code }) => code !== undefined);
  if (failure) {
    return (
      <>
        <span class="badge bad">failed</span> {failure.message}
      </>
    );
  }
  if (!errors || !first) return null;
  return `${count(errors.length)}: ${first.message}${errors.length > 1 ? " …" : ""}`;
}
