import { Refusal } from "#contracts/errors.ts";
import type { MakeHandler } from "../make-handler.ts";
import { begunCookie, type CookieNeeds } from "./cookies.ts";
import { ownPath } from "./own-path.ts";
import { redirect, refused } from "./redirect.ts";

export const beginOpenIdHandler: MakeHandler<"beginOpenId", CookieNeeds | "provider"> = (deps) => {
  const cookie = begunCookie(deps);
  return async ({ query, accept, log }) => {
    if (deps.provider === null) throw new Refusal("NOT_FOUND");
    const next = ownPath(query.next);
    return deps.provider
      .begin()
      .then(({ url, flow }) => redirect(url, cookie.set({ ...flow, next })))
      .catch((error: unknown) => refused(error, { accept, log, next, cleared: cookie.cleared }));
  };
};
