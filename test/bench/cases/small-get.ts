import type { ApiClient } from "../../support/api-client.ts";
import { type BenchService, catalogueOf, drain, remove } from "../../support/bench-service.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { importAll, withAgency } from "../agencies.ts";
import { smallGetsWhile } from "../asking.ts";
import type { Result } from "../measure.ts";
import { create } from "./merge.ts";

/** How many events each activity has, and how many GETs are asked before it. */
export type SmallGetSizes = {
  readonly idle: number;
  readonly imported: number;
  /** How many large pages each of many clients asks for, one after the other. */
  readonly asked: number;
};

/** Clients of one address, each of which asks for this many events at once; none may be refused. */
const ASKING = 64;
const PAGE = 10_000;

/** GETs of one catalogue while a service imports, and while many ask. */
export async function benchSmallGet(sizes: SmallGetSizes): Promise<Result[]> {
  return withAgency(sizes.imported, 0, async (bench) => {
    const { client, url } = bench;
    const other = await catalogueOf(client, 1);
    const address = `${url}/api/catalogues/${other}`;
    return [
      await whileImporting(bench, address, sizes),
      await whileManyAsk(client, address, sizes),
    ];
  });
}

async function whileImporting(
  { client }: BenchService,
  address: string,
  { idle, imported: count }: SmallGetSizes,
): Promise<Result> {
  let id = "";
  const size = `${count} events of QuakeML`;
  const result = await smallGetsWhile("importing", size, address, idle, async () => {
    id = await importAll(client, "full", count);
  });
  await remove(client, id);
  return result;
}

/** Many clients of one address who ask for large pages, and small GETs beside them. */
export async function benchCrowd(
  { client, url }: BenchService,
  sizes: Pick<SmallGetSizes, "idle" | "asked">,
): Promise<Result> {
  const other = await catalogueOf(client, 1);
  return whileManyAsk(client, `${url}/api/catalogues/${other}`, sizes);
}

async function whileManyAsk(
  client: ApiClient,
  address: string,
  { idle, asked }: Pick<SmallGetSizes, "idle" | "asked">,
): Promise<Result> {
  const id = await create(client, [...generateEvents(1, PAGE)]);
  const ask = async (): Promise<void> => {
    for (let i = 0; i < asked; i += 1) await drain(client, `/api/catalogues/${id}/events/filtered`);
  };
  const size = `${asked} pages of ${PAGE} each`;
  const activity = `${ASKING} clients ask`;
  const work = () => Promise.all(Array.from({ length: ASKING }, ask));
  const result = await smallGetsWhile(activity, size, address, idle, work);
  await remove(client, id);
  return result;
}
