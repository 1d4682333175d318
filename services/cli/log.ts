import { catalogueStream } from "#contracts/events/log.ts";
import { readableEvent } from "#infra/log/domain-events.ts";
import {
  type Batch,
  eventsToHead,
  type Position,
  START,
  unverified,
} from "#infra/log/event-log.ts";
import {
  type CliCommand,
  type CommandTools,
  countArgument,
  readArguments,
  UsageError,
} from "./command.ts";

const OPTIONS = {
  catalogue: { type: "string" },
  stream: { type: "string" },
  after: { type: "string" },
  limit: { type: "string" },
  follow: { type: "boolean", default: false },
  events: { type: "boolean", default: false },
} as const;

/** Prints the log, one readable JSON line per event. */
export const logCommand: CliCommand = {
  usage:
    "npm run log -- [--catalogue <id> | --stream <name>] [--after <position>] [--limit <n>] [--events] [--follow]",
  parse(args) {
    const wanted = wantedOf(args);
    return (tools) => print(tools, wanted);
  },
};

type Wanted = ReturnType<typeof wantedOf>;

function wantedOf(args: readonly string[]) {
  const { values } = readArguments(args, OPTIONS, false);
  const { catalogue, stream, after = START, limit, follow, events } = values;
  if (catalogue !== undefined && stream !== undefined) {
    throw new UsageError("Give --catalogue or --stream, not both");
  }
  return {
    after: after as Position,
    limit: limit === undefined ? Number.POSITIVE_INFINITY : countArgument("limit", limit),
    follow,
    /** Includes the records of chunks. */
    events,
    isWanted: streamFilter(catalogue, stream),
  };
}

/** Selects a catalogue's decision stream and the chunk streams of its revisions. */
function streamFilter(catalogue?: string, stream?: string): (name: string) => boolean {
  if (stream !== undefined) return (name) => name === stream;
  if (catalogue === undefined) return () => true;
  const decisions = catalogueStream(catalogue.toLowerCase());
  return (name) => name === decisions || name.startsWith(`${decisions}-`);
}

async function print(tools: CommandTools, wanted: Wanted): Promise<0> {
  let left = wanted.limit;
  for await (const { events } of batches(tools, wanted)) {
    for (const event of events) {
      if (!wanted.isWanted(event.stream)) continue;
      await tools.write(JSON.stringify(readableEvent(event, wanted)));
      left -= 1;
      if (left === 0) return 0;
    }
  }
  return 0;
}

function batches({ log, signal }: CommandTools, { after, follow }: Wanted): AsyncIterable<Batch> {
  return follow
    ? log.subscribe({ after: unverified(after), signal })
    : eventsToHead(log, after, signal);
}
