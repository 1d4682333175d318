import { catalogueBody } from "../../support/generate-catalogue.ts";
import { againstCopy } from "../against-copy.ts";
import type { BenchService } from "../bench-service.ts";
import type { Result } from "../report.ts";

/**
 * Creating a catalogue by POST until it is visible, against a COPY of the very rows that it made
 * into the same table with the same indexes. Both are repeated in turn.
 */
export async function benchCreate(
  bench: BenchService,
  count: number,
  repetitions: number,
  target: number,
  warmUps?: number,
): Promise<Result> {
  const body = Buffer.from(catalogueBody(`bench ${count}`, count, count));
  const make = () => create(bench.client, body, count);
  return {
    case: "create by POST until visible",
    size: `${count} events`,
    unit: "s",
    yardstick: "COPY of the same rows",
    ...(await againstCopy(bench, count, repetitions, make, warmUps)),
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
