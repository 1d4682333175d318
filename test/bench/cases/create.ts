import { catalogueBody } from "../../support/generate-catalogue.ts";
import type { BenchService } from "../bench-service.ts";
import { copyIn, copyOut, removeAll } from "../copy-yardstick.ts";
import type { Result } from "../report.ts";
import { secondsOf, spreadOf } from "../statistics.ts";

/**
 * Creating a catalogue by POST until it is visible, against a COPY of the very rows that it made
 * into the same table with the same indexes. Both are repeated in turn.
 */
export async function benchCreate(
  { client, database }: BenchService,
  count: number,
  repetitions: number,
  target: number,
): Promise<Result> {
  const body = Buffer.from(catalogueBody(`bench ${count}`, count, count));
  const ours: number[] = [];
  const yardstick: number[] = [];
  for (let i = 0; i <= repetitions; i += 1) {
    let id = "";
    const created = await secondsOf(async () => {
      id = await create(client, body, count);
    });
    const rows = await copyOut(database, id, count);
    const copied = await secondsOf(() => copyIn(database, rows));
    await removeAll(client, database, id);
    // The first round warms up both sides.
    if (i === 0) continue;
    ours.push(created);
    yardstick.push(copied);
  }
  return {
    case: "create by POST until visible",
    size: `${count} events`,
    unit: "s",
    ours: spreadOf(ours),
    yardstick: "COPY of the same rows",
    yardstickFigure: spreadOf(yardstick),
    ratio: spreadOf(ours.map((seconds, i) => seconds / (yardstick[i] ?? Number.NaN))).median,
    target,
  };
}

/** Creates a catalogue and sees it, by the same client. */
export async function create(
  client: BenchService["client"],
  body: Buffer,
  count: number,
): Promise<string> {
  const answer = await client.send<{ id: string; event_count: number }>(
    "POST",
    "/api/catalogues",
    body,
  );
  if (answer.status !== 201 || answer.body.event_count !== count) {
    throw new Error(`creating answered ${answer.status}`);
  }
  const page = await client.get<{ events: unknown[]; total: number }>(
    `/api/catalogues/${answer.body.id}/events?pageSize=1`,
  );
  if (page.body.total !== count || page.body.events.length !== 1) {
    throw new Error("what was created is not visible");
  }
  return answer.body.id;
}
