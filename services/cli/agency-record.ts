import { resolve } from "node:path";
import { type ImportDetail, SERVICE_DIALECTS } from "#contracts/events/imports.ts";
import { createAgencyClient } from "#infra/agency/agency-client.ts";
import { type AgencyQuery, dialectOf } from "#infra/agency/query.ts";
import { createRecording } from "#infra/agency/recording/recording.ts";
import { type CommandTools, type ExitCode, readArguments, UsageError } from "./command.ts";

export const RECORD_USAGE = `npm run agency:record -- DIR --url URL --start TIME --end TIME [options]
  --url URL          the event service: https://…/fdsnws/event/1
  --name NAME        as people read it; by default the host
  --dialect NAME     ${SERVICE_DIALECTS.join(", ")}; by default what its host speaks
  --start, --end     the window, ISO 8601
  --detail KIND      full, summary, or both, which a schedule needs (default)
  --min-magnitude M  the smallest magnitude
  --timeout SECONDS  the longest silence (30)
Writes what the agency answers to our client into DIR, which npm run agency:serve serves.`;

const OPTIONS = {
  url: { type: "string" },
  name: { type: "string" },
  dialect: { type: "string" },
  start: { type: "string" },
  end: { type: "string" },
  detail: { type: "string", default: "both" },
  "min-magnitude": { type: "string" },
  timeout: { type: "string", default: "30" },
} as const;

type Tools = Pick<CommandTools, "signal" | "write" | "say">;

/** @throws UsageError */
function parseRecord(args: readonly string[]) {
  const { values, positionals } = readArguments(args, OPTIONS, true);
  const [directory, ...more] = positionals;
  if (directory === undefined || more.length > 0) throw new UsageError("Name one directory");
  const { url, start, end } = values;
  if (url === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new UsageError("--url takes the http or https address of an event service");
  }
  if (start === undefined || end === undefined)
    throw new UsageError("--start and --end are needed");
  const dialect = SERVICE_DIALECTS.find((one) => one === (values.dialect ?? dialectOf(url)));
  if (dialect === undefined) {
    throw new UsageError(`--dialect takes one of ${SERVICE_DIALECTS.join(", ")}`);
  }
  const minMagnitude =
    values["min-magnitude"] === undefined ? null : Number(values["min-magnitude"]);
  const timeoutMs = Number(values.timeout) * 1_000;
  if (Number.isNaN(minMagnitude)) throw new UsageError("--min-magnitude takes a number");
  if (!(timeoutMs > 0)) throw new UsageError("--timeout takes a number of seconds");
  return {
    directory: resolve(directory),
    agency: { name: values.name ?? new URL(url).host, url, dialect },
    details: detailsOf(values.detail),
    query: { startTime: start, endTime: end, minMagnitude },
    timeoutMs,
  };
}

function detailsOf(text: string): readonly ImportDetail[] {
  switch (text) {
    case "full":
    case "summary":
      return [text];
    case "both":
      return ["summary", "full"];
    default:
      throw new UsageError("--detail takes full, summary or both");
  }
}

/**
 * Records what an agency answers for a window, by the requests that an import makes.
 * @throws UsageError, RecordingExists, and what the client throws
 */
export async function runRecord(args: readonly string[], tools: Tools): Promise<ExitCode> {
  const { directory, agency, details, query, timeoutMs } = parseRecord(args);
  const recording = await createRecording(directory, agency);
  const client = createAgencyClient({
    ...agency,
    timeoutMs,
    userAgent: "earthquake-catalogue-service/recorder",
    breaker: { run: (request) => request() },
    through: recording.record,
  });
  try {
    for (const detail of details) await fetchAll(client, { ...query, detail }, tools);
    if (details.length > 1) await listAll(client, { ...query, detail: "full" }, tools.signal);
  } finally {
    client.close();
    const { answers, bytes } = recording.counts();
    tools.say(`${answers} answers, ${(bytes / 1e6).toFixed(1)} MB, are in ${directory}`);
  }
  await tools.write(directory);
  return 0;
}

async function fetchAll(
  client: ReturnType<typeof createAgencyClient>,
  query: AgencyQuery,
  { signal, say }: Tools,
): Promise<void> {
  let events = 0;
  try {
    for await (const batch of client.fetchEvents(query, { signal })) {
      events += batch.events.length;
      say(
        `${query.detail}: ${events} events, ${batch.progress.done} of ${batch.progress.total} windows`,
      );
    }
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`${error.message}`, { cause: error });
    throw error;
  }
}

/** As a schedule lists what there is. */
async function listAll(
  client: ReturnType<typeof createAgencyClient>,
  query: AgencyQuery,
  signal: AbortSignal,
): Promise<void> {
  for await (const _window of client.listEvents(query, { signal }));
}
