/**
 * The address of the share that the console was opened at. Below it are its pages then, and all that they
 * ask for; whoever looks at them has no account there. Null elsewhere.
 */
export const share: string | null =
  /^\/api\/share\/[^/]+/.exec(globalThis.location?.pathname ?? "")?.[0] ?? null;
