import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { errorText } from "../../formats/fdsn/error-text.ts";
import { bodyOf, type Recording } from "./read-recording.ts";
import { answersFor, type EventChoice, formatNamed, selectEvents } from "./recorded-events.ts";
import { recordedQuery } from "./recorded-query.ts";
import type { RecordedAnswer } from "./recording-format.ts";

export type ServeOptions = EventChoice & {
  /** On 127.0.0.1; 0 for any that is free. */
  readonly port: number;
};

export type ServedRecording = {
  /** `http://127.0.0.1:…/fdsnws/event/1` */
  readonly url: string;
  readonly close: () => Promise<void>;
};

const BASE = "/fdsnws/event/1";
const PLAIN = "text/plain";
const TYPES: Readonly<Record<string, string>> = {
  xml: "application/xml",
  geojson: "application/json",
};

/**
 * A recording as the event service that it was made from: recorded requests are answered as they were,
 * other windows and filters within them from the recorded events, anything else by the standard's error.
 */
export async function serveRecording(
  recording: Recording,
  options: ServeOptions,
): Promise<ServedRecording> {
  const recorded = new Map(recording.answers.map((answer) => [keyOf(answer.request), answer]));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    if (!path.startsWith(`${BASE}/`))
      return refuse(request, response, 404, "there is no such address");
    const method = path.slice(BASE.length + 1);
    const known = options.without.size === 0 ? recorded.get(keyOf(method)) : undefined;
    if (known !== undefined) return replay(recording, known, response);
    if (!/^query(?:\?|$)/.test(method))
      return refuse(request, response, 404, "it was not recorded");
    return select(request, response, new URLSearchParams(method.slice("query?".length)));
  }

  async function select(
    request: IncomingMessage,
    response: ServerResponse,
    parameters: URLSearchParams,
  ): Promise<void> {
    const asked = recordedQuery(parameters);
    if (typeof asked === "string") return refuse(request, response, 400, asked);
    const format = formatNamed(asked.format);
    const answers = answersFor(recording, asked, options);
    if (format === null || answers === null) {
      return refuse(request, response, 400, "the recording does not hold all that is asked for");
    }
    for await (const { text } of selectEvents(recording, answers, asked, options)) {
      if (!response.headersSent)
        response.writeHead(200, { "content-type": TYPES[format] ?? PLAIN });
      if (!response.write(text, "latin1")) await once(response, "drain");
    }
    if (!response.headersSent) response.writeHead(204);
    response.end();
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(options.port, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${BASE}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The same for parameters in another order. */
function keyOf(request: string): string {
  const [method = "", search = ""] = request.split("?");
  const parameters = new URLSearchParams(search);
  parameters.sort();
  return `${method}?${parameters}`;
}

/** An answer as it was; one that was broken off breaks off. */
async function replay(
  recording: Recording,
  answer: RecordedAnswer,
  response: ServerResponse,
): Promise<void> {
  const { status, headers, bytes, broken } = answer;
  const length = status === 204 ? {} : { "content-length": bytes + (broken === null ? 0 : 1) };
  response.writeHead(status, { ...headers, ...length });
  if (status === 204) return void response.end();
  await pipeline(bodyOf(recording, answer), response, { end: false });
  if (broken === null) response.end();
  else response.destroy();
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  detail: string,
): void {
  const submitted = new Date().toISOString();
  const address = `http://${request.headers.host ?? "127.0.0.1"}${request.url ?? ""}`;
  response.writeHead(status, { "content-type": PLAIN });
  response.end(errorText({ status, detail, usage: BASE, request: address, submitted }));
}
