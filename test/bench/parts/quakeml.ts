/**
 * Rates of the QuakeML reader against a bare pass of saxes over the same text, and of the writer:
 * `node test/bench/parts/quakeml.ts`. Rounds alternate and processor time is taken, so that a busy
 * machine changes the ratio little.
 */
import { SaxesParser } from "saxes";
import { NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { ExportRow } from "#infra/formats/format-writer.ts";
import { createQuakemlReader } from "#infra/formats/quakeml/quakeml-reader.ts";
import { createQuakemlWriter } from "#infra/formats/quakeml/quakeml-writer.ts";
import { atOnce } from "#infra/kernel/steps.ts";
import { createEventValidator } from "#services/domain/seismic-event/validate-event.ts";
import { exportRowOf } from "../../support/export-row.ts";
import { sampleEvents } from "./sample-events.ts";

const EVENTS = 20_000;
const ROUNDS = 7;
const PIECE = 64 * 1024;
const PICKS_PER_EVENT = 40;

const PICK =
  '<pick publicID="smi:nz.org.geonet/20240507.082412.10-AIC-NZ.ARAZ.10.EHZ"><time><value>2024-05-07T08:24:12.1Z</value></time><waveformID networkCode="NZ" stationCode="ARAZ" locationCode="10" channelCode="EHZ"/><filterID>smi:nz.org.geonet/BW(4,2.5,15)</filterID><methodID>smi:nz.org.geonet/AIC</methodID><phaseHint>P</phaseHint><evaluationMode>automatic</evaluationMode><creationInfo><agencyID>WEL(GNS_Test)</agencyID><author>scautopick@eceqp06.geonet.org.nz</author><creationTime>2024-05-07T08:24:22.474553Z</creationTime></creationInfo><comment id="smi:nz.org.geonet/SNR"><text>19.834430014354417</text></comment></pick>';

function exportRows(): ExportRow[] {
  const validate = createEventValidator({ nowMs: Date.now() });
  return sampleEvents(EVENTS).map((event, i) => {
    const result = validate(event);
    if (!result.ok) throw new Error(JSON.stringify(result.errors));
    const id = `7f3e1b52-9c4d-8a86-8000-0001${i.toString(16).padStart(8, "0")}`;
    return exportRowOf({ id, ...(result.record as SeismicEventRecord) });
  });
}

function createWriter() {
  const created = "2024-05-07T08:00:00Z";
  return createQuakemlWriter({
    version: 1,
    exportedAt: created,
    catalogue: {
      ...NO_BOUNDS,
      bbox: null,
      id: "7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b",
      name: "bench",
      created_at: created,
      updated_at: created,
      status: "active",
      event_count: EVENTS,
      is_public: false,
      public_from: null,
      version: 1,
      created_by: "bench",
      metadata: null,
      merge_config: null,
      source_catalogues: null,
    },
  });
}

function writeAll(rows: readonly ExportRow[]): string[] {
  const writer = createWriter();
  return [writer.begin(), ...rows.map((row) => writer.row(row)), writer.end()];
}

function pieces(text: string): string[] {
  const cut: string[] = [];
  for (let i = 0; i < text.length; i += PIECE) cut.push(text.slice(i, i + PIECE));
  return cut;
}

function bareSaxes(text: readonly string[], xmlns: boolean): void {
  const parser = xmlns
    ? new SaxesParser({ xmlns: true, position: false })
    : new SaxesParser({ xmlns: false, position: false });
  for (const piece of text) parser.write(piece);
  parser.close();
}

function readAll(text: readonly string[]): number {
  let rows = 0;
  const fail = (line: number, message: string) => {
    throw new Error(`line ${line}: ${message}`);
  };
  const reader = createQuakemlReader({ row: () => rows++, error: fail, warning: fail });
  for (const piece of text) reader.write(piece);
  atOnce(reader.end());
  return rows;
}

/** Processor time in user mode, the garbage collector's threads included. */
function seconds(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  return process.cpuUsage(start).user / 1e6;
}

function compare(name: string, text: string): void {
  const cut = pieces(text);
  const events = readAll(cut);
  const mega = text.length / 1e6;
  const rounds = Array.from({ length: ROUNDS }, () => ({
    bare: seconds(() => bareSaxes(cut, false)),
    namespaces: seconds(() => bareSaxes(cut, true)),
    reader: seconds(() => readAll(cut)),
  }));
  const bare = Math.min(...rounds.map((round) => round.bare));
  const namespaces = Math.min(...rounds.map((round) => round.namespaces));
  const reader = Math.min(...rounds.map((round) => round.reader));
  const micros = ((reader / events) * 1e6).toFixed(1);
  process.stdout.write(
    `${name.padEnd(24)} ${mega.toFixed(0)} MB, ${events} events; saxes ${(mega / bare).toFixed(0)} MB/s ` +
      `(with namespaces ${(mega / namespaces).toFixed(0)}), ` +
      `reader ${(mega / reader).toFixed(0)} MB/s (${micros} µs an event), ratio ${(bare / reader).toFixed(2)} ` +
      `(${(namespaces / reader).toFixed(2)})\n`,
  );
}

const rows = exportRows();
const parts = writeAll(rows);
compare("light events", parts.join(""));
const withPicks = parts
  .slice(0, 1001)
  .map((part, i) =>
    i === 0 ? part : part.replace("</event>", `${PICK.repeat(PICKS_PER_EVENT)}</event>`),
  );
compare("events with picks", withPicks.join("") + parts.at(-1));
const writing = Math.min(...Array.from({ length: ROUNDS }, () => seconds(() => writeAll(rows))));
process.stdout.write(
  `${"writer".padEnd(24)} ${((writing / EVENTS) * 1e6).toFixed(2)} µs an event\n`,
);
