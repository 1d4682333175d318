import { useMemo } from "preact/hooks";
import { CallError, statusOf } from "../../api/call.ts";

/** Gives the attempts of a form or a button their keys, as long as it is shown and about the same. */
export function useAttempts(about?: unknown): Attempt {
  return useMemo(createAttempts, [about]);
}

/**
 * Gives an attempt of a write its `Idempotency-Key`.
 * @param what is written; another attempt of the same has the same key until one is answered
 * @param send gets the key
 */
export type Attempt = <T>(what: unknown, send: (key: string) => Promise<T>) => Promise<T>;

/** Where an answer is lost, trying again finds what was written in place of writing it twice. */
export function createAttempts(): Attempt {
  let last: { readonly what: string; readonly key: string } | null = null;
  return async (what, send) => {
    const text = JSON.stringify(what);
    last = last?.what === text ? last : { what: text, key: newKey() };
    try {
      const answer = await send(last.key);
      last = null;
      return answer;
    } catch (error) {
      if (isRefusal(error)) last = null;
      throw error;
    }
  };
}

/** Refusals are answered again to the same key, also where they are told in other words; what failed runs again. */
function isRefusal(error: unknown): boolean {
  const told = error instanceof CallError || !(error instanceof Error) ? error : error.cause;
  return told instanceof CallError && told.status >= 400 && told.status < 500;
}

/** 128 bits; `crypto.randomUUID` is missing where the page has not come by https. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/**
 * For a secret that is in one answer alone: where that was lost, the next attempt finds what was made,
 * and its secret gone. The details of the refusal say with what status the first had succeeded.
 */
export function tellLost(sentence: string, reload: () => void): (error: unknown) => never {
  return (error) => {
    const body = error instanceof CallError && error.status === 409 ? error.body : null;
    if (typeof body !== "object" || body === null || !("details" in body)) throw error;
    reload();
    throw new Error(sentence, { cause: error });
  };
}

/** What others have made of it meanwhile is read first, where that is why it was refused. */
export async function unlessChanged<T>(write: Promise<T>, reload: () => void): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (statusOf(error) === 412) reload();
    throw error;
  }
}
