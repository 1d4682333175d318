import type { MakeHandler } from "../make-handler.ts";
import { begunCookie, type CookieNeeds } from "./cookies.ts";
import { ownPath } from "./own-path.ts";
import { redirect, refused } from "./redirect.ts";

export const beginOpenIdHandler: MakeHandler<"beginOpenId", CookieNeeds | "provider"> = (deps) => {
  const { provider } = deps;
  const cookie = begunCookie(deps);
  return async ({ query, accept, log }) => {
    const next = ownPath(query.next);
    return provider
      .begin()
      .then(({ url, flow }) => redirect(url, cookie.set({ ...flow, next })))
      .catch((error: unknown) => refused(error, { accept, log, next, cleared: cookie.cleared }));
  };
};
