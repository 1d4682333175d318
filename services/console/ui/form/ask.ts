import { notice } from "../call.tsx";
import type { Question } from "./asked.tsx";
import type { Fields } from "./form.tsx";

/**
 * Asks before something is done, or for what it needs; says in the same window why it could not be
 * done. The window's scripts come when it is opened. What is read from a page that may change
 * meanwhile is to be read when it is done.
 */
export function ask<F extends Fields = Record<never, never>, Answer = unknown>(
  question: Question<F, Answer>,
): void {
  import("./asked.tsx").then(({ openQuestion }) => openQuestion(question), notice.error);
}
