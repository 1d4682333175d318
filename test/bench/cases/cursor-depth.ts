import type { BenchService } from "../bench-service.ts";
import { compare } from "../compare.ts";
import { openAsking } from "../reading/ask.ts";
import type { Result } from "../report.ts";
import { p99 } from "../statistics.ts";

const PAGE = 50;
const STRIDE = 1_000;
const ROUNDS = 5;
const TARGET = 1.2;

type Answer = {
  readonly events: readonly { readonly time: string }[];
  readonly pagination: { readonly nextCursor: string };
};

/**
 * The 99th percentile of a page of 50 far into a walk by cursor against that of its first page, asked
 * for in turn.
 */
export async function benchCursorDepth(
  { url, token, client, shared }: BenchService,
  events: number,
  page: number,
  repetitions: number,
): Promise<Result> {
  const { id } = await shared.of(events);
  const path = `/api/catalogues/${id}/events`;
  const first = `${path}?pagination=cursor&limit=${PAGE}`;
  const deep = `${path}?cursor=${await cursorAt((page - 1) * PAGE)}&limit=${PAGE}`;
  const [{ body: expected }, { body: found }] = [
    await client.get<Answer>(`${path}?pageSize=${PAGE}&page=${page}`),
    await client.get<Answer>(deep),
  ];
  if (JSON.stringify(found.events) !== JSON.stringify(expected.events)) {
    throw new Error(`the walk has not come to page ${page}`);
  }

  /** Walked there in larger steps: it is the place that counts. */
  async function cursorAt(skipped: number): Promise<string> {
    let at = "pagination=cursor";
    for (let left = skipped; left > 0; left -= STRIDE) {
      const limit = Math.min(left, STRIDE);
      const { body } = await client.get<Answer>(`${path}?${at}&limit=${limit}`);
      at = `cursor=${body.pagination.nextCursor}`;
    }
    return at.slice("cursor=".length);
  }

  const asking = openAsking(url, token);
  const milliseconds = async (asked: string) => (await asking.ask(asked)).milliseconds;
  const comparison = await compare(ROUNDS, async () => {
    const [ofDeep, ofFirst]: [number[], number[]] = [[], []];
    for (let i = 0; i < repetitions; i += 1) {
      ofDeep.push(await milliseconds(deep));
      ofFirst.push(await milliseconds(first));
    }
    return [p99(ofDeep), p99(ofFirst)];
  });
  asking.close();
  return {
    case: `page ${page} by cursor, p99`,
    size: `${events} events`,
    unit: "ms",
    yardstick: "page 1",
    ...comparison,
    target: TARGET,
  };
}
