import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";

/**
 * Serves `GET /metrics` of this process to whoever reaches the address, and nothing else.
 * @returns where, and how it ends
 */
export async function serveMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  registry: Pick<Registry, "metrics" | "contentType">,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer(async ({ method, url }, response) => {
    if (method !== "GET" || url?.split("?")[0] !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await registry.metrics();
      response.setHeader("content-type", registry.contentType).end(text);
    } catch {
      response.writeHead(500).end();
    }
  });
  server.requestTimeout = 5_000;
  server.maxConnections = 16;
  server.listen(port, host);
  await once(server, "listening");
  const { port: actual } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://${host.includes(":") ? `[${host}]` : host}:${actual}/metrics`, close };
}
