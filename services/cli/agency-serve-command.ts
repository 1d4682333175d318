import { once } from "node:events";
import { resolve } from "node:path";
import type { ParseArgsConfig } from "node:util";
import { readRecording } from "#infra/agency/recording/read-recording.ts";
import { serveRecording } from "#infra/agency/recording/serve-recording.ts";
import { type CommandTools, type ExitCode, readArguments, UsageError } from "./command.ts";

export const SERVE_USAGE = `npm run agency:serve -- DIR [options]
  --port N      on 127.0.0.1; by default any that is free
  --whole       takes the recording for all that the agency has: outside its windows there is nothing
  --without ID  leaves an event out, as if the agency had withdrawn it; may be given again
Serves a recording of npm run agency:record as an agency, prints its address and that of its messages, and ends at
Ctrl-C. Meanwhile curl -X POST http://127.0.0.1:N/events/ID/withdraw leaves an event out from then on, and
…/ID/tell gives it again and sends it, as it was recorded, to those who listen, in EMSC's shape.`;

const OPTIONS = {
  port: { type: "string", default: "0" },
  whole: { type: "boolean", default: false },
  without: { type: "string", multiple: true },
} as const satisfies NonNullable<ParseArgsConfig["options"]>;

const HIGHEST_PORT = 65_535;

/** Serves a recording until the signal. @throws UsageError, UnreadableRecording, and when the port is taken */
export async function runServe(
  args: readonly string[],
  { signal, write, say }: Pick<CommandTools, "signal" | "write" | "say">,
): Promise<ExitCode> {
  const { values, positionals } = readArguments(args, OPTIONS, true);
  const [directory, ...more] = positionals;
  if (directory === undefined || more.length > 0) throw new UsageError("Name one directory");
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > HIGHEST_PORT)
    throw new UsageError("--port takes a port");
  const recording = await readRecording(resolve(directory));
  const served = await serveRecording(recording, {
    port,
    isWhole: values.whole,
    without: new Set(values.without ?? []),
  });
  const { agency, at } = recording.head;
  say(
    `${agency.name} (dialect ${agency.dialect}) as of ${at}, ${recording.answers.length} answers`,
  );
  await write(`${served.url}\n${served.pushUrl}`);
  if (!signal.aborted) await once(signal, "abort");
  await served.close();
  return 0;
}
