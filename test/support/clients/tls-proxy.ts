import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { generate } from "selfsigned";
import { createTemporaryDirectory } from "../temporary-directory.ts";

export type TlsProxy = {
  readonly url: string;
  /** Of its certificate, for clients to trust. */
  readonly certificate: string;
  /** Paths with their queries that clients have asked for. */
  readonly requests: string[];
  readonly forwardTo: (url: string) => void;
  readonly close: () => Promise<void>;
};

/** HTTPS on 127.0.0.1 in front of a service: clients whose scheme is fixed reach it. */
export async function startTlsProxy(): Promise<TlsProxy> {
  const { private: key, cert } = await generate([{ name: "commonName", value: "127.0.0.1" }], {
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] },
    ],
  });
  const directory = await createTemporaryDirectory();
  const certificate = join(directory.path, "certificate.pem");
  await writeFile(certificate, cert);
  let target = "";
  const requests: string[] = [];
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    requests.push(incoming.url ?? "");
    const { method = "GET", headers } = incoming;
    const forwarded = request(new URL(incoming.url ?? "/", target), { method, headers });
    forwarded.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificate,
    requests,
    forwardTo: (url) => {
      target = url;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await directory.remove();
    },
  };
}
