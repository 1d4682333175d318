import { request } from "node:http";

export type RawAnswer = {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
};

/** A GET of the path as it stands: fetch would normalise `..` and refuse what is no URL. */
export function rawGet(
  url: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const sent = request({ hostname, port, path, headers, agent: false }, (response) => {
    response.setEncoding("utf8");
    response.toArray().then((parts) => {
      const { statusCode: status = 0, headers: received } = response;
      resolve({ status, headers: received, text: parts.join("") });
    }, reject);
  });
  sent.on("error", reject).end();
  return promise;
}
