/** A server of an address of PostgreSQL. */
export type DatabaseHost = { readonly host: string; readonly port: number };

const DEFAULT_PORT = 5432;

/** postgresql://user:password@ · host:port,host:port · /database?settings */
const GRAMMAR = /^(?<before>postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?<hosts>[^/?#@]*)(?<after>.*)$/s;

/** The address of one of its servers, by number. */
export function urlOfHost(url: string, index: number): string {
  const { before = "", hosts = "", after = "" } = GRAMMAR.exec(url)?.groups ?? {};
  return `${before}${hosts.split(",")[index]}${after}`;
}

/** The servers of an address, which may be a comma list: `host:port,host:port`. */
export function hostsOf(url: string): readonly DatabaseHost[] {
  const hosts = GRAMMAR.exec(url)?.groups?.["hosts"] ?? "";
  return hosts.split(",").map((_, i) => {
    const { hostname, port } = new URL(urlOfHost(url, i));
    const host = decodeURIComponent(hostname).replace(/^\[(.+)\]$/, "$1");
    return { host, port: port === "" ? DEFAULT_PORT : Number(port) };
  });
}

/** Changes the part of an address behind its servers. */
export function withSettings(url: string, change: (settings: URLSearchParams) => void): string {
  const { before = "", hosts = "" } = GRAMMAR.exec(url)?.groups ?? {};
  const one = new URL(urlOfHost(url, 0));
  change(one.searchParams);
  return `${before}${hosts}${one.pathname}${one.search}${one.hash}`;
}
