import { parse } from "csv-parse/sync";
import { SaxesParser } from "saxes";
import type { ExportFormat } from "#contracts/http/catalogue-export.ts";
import { createFileReader } from "#infra/formats/file-reader.ts";
import { catalogueOf } from "../bench-catalogue.ts";
import type { BenchService } from "../bench-service.ts";
import type { Result } from "../report.ts";
import { secondsOf, spreadOf } from "../statistics.ts";

const PIECE_BYTES = 64 * 1024;
/** Twice the time of the bare parser is half its rate. */
const TARGET = 2;

/** The bare parsers: they cut the text and make nothing of it. */
const YARDSTICKS = {
  csv: { name: "csv-parse alone", run: bareCsv },
  quakeml: { name: "saxes alone", run: bareSaxes },
} as const satisfies Partial<Record<ExportFormat, { name: string; run: (file: Buffer) => void }>>;

/** Reading files, bytes to rows, against the parsers below the readers. */
export async function benchRead(
  { client }: BenchService,
  count: number,
  repetitions: number,
): Promise<Result[]> {
  const id = await catalogueOf(client, count);
  const results: Result[] = [];
  for (const [format, { name, run }] of Object.entries(YARDSTICKS)) {
    const response = await client.stream(`/api/catalogues/${id}/export?format=${format}`);
    const file = Buffer.from(await response.arrayBuffer());
    const ours: number[] = [];
    const yardstick: number[] = [];
    for (let i = 0; i <= repetitions; i += 1) {
      const read = await secondsOf(async () => readAll(file, count));
      const bare = await secondsOf(async () => run(file));
      // The first round warms up.
      if (i === 0) continue;
      ours.push(read);
      yardstick.push(bare);
    }
    results.push({
      case: `read ${format}`,
      size: `${count} events, ${Math.round(file.length / 1e6)} MB`,
      unit: "s",
      ours: spreadOf(ours),
      yardstick: name,
      yardstickFigure: spreadOf(yardstick),
      ratio: spreadOf(ours.map((seconds, i) => seconds / (yardstick[i] ?? Number.NaN))).median,
      target: TARGET,
    });
  }
  await client.send("DELETE", `/api/catalogues/${id}`);
  return results;
}

function readAll(file: Buffer, count: number): void {
  let rows = 0;
  const fail = (line: number, message: string): never => {
    throw new Error(`line ${line}: ${message}`);
  };
  const sink = { row: () => (rows += 1), error: fail, warning: fail };
  const reader = createFileReader(sink, { extension: "", delimiter: "auto" });
  for (const piece of piecesOf(file)) reader.write(piece);
  reader.end();
  if (rows !== count) throw new Error(`${rows} rows of ${count} were read`);
}

function bareCsv(file: Buffer): void {
  parse(file);
}

function bareSaxes(file: Buffer): void {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const decoder = new TextDecoder();
  for (const piece of piecesOf(file)) parser.write(decoder.decode(piece, { stream: true }));
  parser.close();
}

function* piecesOf(file: Buffer): Generator<Buffer> {
  for (let at = 0; at < file.length; at += PIECE_BYTES) yield file.subarray(at, at + PIECE_BYTES);
}
