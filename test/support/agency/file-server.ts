import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export type FileServer = {
  /** Address of the file of that name. */
  readonly url: (name: string) => string;
  /** What it has from now on under a name; null for nothing. */
  readonly put: (name: string, content: string | Buffer | null) => void;
  /** Whether answers have an ETag, and the requests' are looked at. */
  readonly validates: (does: boolean) => void;
  /** The requests so far, and the statuses of their answers. */
  readonly requests: { path: string; status: number; headers: IncomingHttpHeaders }[];
  readonly close: () => Promise<void>;
};

/** Files on a free port of the loopback, with an ETag of their content each. */
export async function startFileServer(): Promise<FileServer> {
  const files = new Map<string, Buffer>();
  const requests: FileServer["requests"] = [];
  let doesValidate = true;
  const server = createServer(({ url = "", headers }, response) => {
    const content = files.get(url.slice(1));
    const etag = content && `"${createHash("sha1").update(content).digest("hex")}"`;
    const isSame = doesValidate && etag !== undefined && headers["if-none-match"] === etag;
    const status = content === undefined ? 404 : isSame ? 304 : 200;
    requests.push({ path: url, status, headers });
    response.writeHead(status, etag !== undefined && doesValidate ? { etag } : {});
    response.end(status === 200 ? content : undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    put(name, content) {
      if (content === null) files.delete(name);
      else files.set(name, Buffer.from(content));
    },
    validates(does) {
      doesValidate = does;
    },
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
