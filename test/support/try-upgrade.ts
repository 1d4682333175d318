import { request } from "node:http";

/** Asks for a WebSocket with headers as no client of this runtime can send them. @returns the status */
export function tryUpgrade(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = request(url, {
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": Buffer.alloc(16, 1).toString("base64"),
        ...headers,
      },
    });
    asking.on("upgrade", ({ statusCode = 0 }, socket) => {
      socket.destroy();
      resolve(statusCode);
    });
    asking.on("response", ({ statusCode = 0 }) => {
      asking.destroy();
      resolve(statusCode);
    });
    asking.on("error", reject);
    asking.end();
  });
}
