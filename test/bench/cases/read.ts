import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { ExportFormat } from "#contracts/http/catalogue-export.ts";
import { catalogueOf } from "../bench-catalogue.ts";
import type { BenchService } from "../bench-service.ts";
import type { FileReading, ReadTask } from "../read-thread.ts";
import type { Result } from "../report.ts";
import { spreadOf } from "../statistics.ts";

/** Twice the time of the bare parser is half its rate. */
const TARGET = 2;

/** The bare parsers: they cut the text and make nothing of it. */
const YARDSTICKS = {
  csv: "csv-parse",
  quakeml: "saxes",
} as const satisfies Partial<Record<ExportFormat, FileReading>>;

/** Reading files, bytes to rows, against the parsers below the readers, each in a thread of its own. */
export async function benchRead(
  { client }: BenchService,
  count: number,
  repetitions: number,
): Promise<Result[]> {
  const id = await catalogueOf(client, count);
  const results: Result[] = [];
  for (const [format, parser] of Object.entries(YARDSTICKS)) {
    const response = await client.stream(`/api/catalogues/${id}/export?format=${format}`);
    const file = new Uint8Array(await response.arrayBuffer());
    const task = { file, count, passes: repetitions };
    const ours = await passesOf({ ...task, reading: "service" });
    const yardstick = await passesOf({ ...task, reading: parser });
    results.push({
      case: `read ${format}`,
      size: `${count} events, ${Math.round(file.length / 1e6)} MB`,
      unit: "s",
      ours: spreadOf(ours),
      yardstick: `${parser} alone`,
      yardstickFigure: spreadOf(yardstick),
      ratio: spreadOf(ours).median / spreadOf(yardstick).median,
      target: TARGET,
    });
  }
  await client.send("DELETE", `/api/catalogues/${id}`);
  return results;
}

async function passesOf(task: ReadTask): Promise<number[]> {
  const worker = new Worker(new URL("../read-thread.ts", import.meta.url), { workerData: task });
  const [seconds] = await once(worker, "message");
  await once(worker, "exit");
  return seconds;
}
