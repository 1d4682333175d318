/** A browser without pages, which keeps cookies by host and follows no redirect by itself. */
export type Visitor = {
  readonly get: (url: string) => Promise<Response>;
  readonly post: (url: string, body: unknown) => Promise<Response>;
  /** Follows redirects from `url` on, until one leads to an address that begins with `prefix`. */
  readonly follow: (url: string, prefix: string) => Promise<string>;
  /** The cookies that a host would be sent; `restore` brings them back. */
  readonly cookies: (url: string) => string;
  readonly restore: (url: string, cookies: string) => void;
};

const MAX_REDIRECTS = 10;

export function createVisitor(accept = "*/*"): Visitor {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (url: string): Map<string, string> => {
    const { host } = new URL(url);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };
  const cookies = (url: string): string =>
    [...jarOf(url)].map(([name, value]) => `${name}=${value}`).join("; ");
  const restore = (url: string, text: string): void => {
    const jar = jarOf(url);
    jar.clear();
    for (const pair of text.split("; ")) keep(jar, pair);
  };
  async function send(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = { accept, cookie: cookies(url), ...init.headers };
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) keep(jarOf(url), cookie);
    return response;
  }
  return {
    get: (url) => send(url),
    post: (url, body) =>
      send(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    follow: async (url, prefix) => {
      let at = url;
      for (let hops = 0; hops < MAX_REDIRECTS; hops += 1) {
        const response = await send(at);
        const location = response.headers.get("location");
        if (location === null)
          throw new Error(`${at} answered ${response.status} without going on`);
        at = new URL(location, at).href;
        if (at.startsWith(prefix)) return at;
      }
      throw new Error(`no redirect from ${url} leads to ${prefix}`);
    },
    cookies,
    restore,
  };
}

/** An empty or ended one is dropped. */
function keep(jar: Map<string, string>, header: string): void {
  const [pair = "", ...attributes] = header.split(";");
  const [name = "", ...value] = pair.split("=");
  const isEnded = attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute));
  if (isEnded || name === "") jar.delete(name);
  else jar.set(name, value.join("="));
}
