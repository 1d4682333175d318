import { type Ring, ringsOf } from "./land.ts";

const lands = new Map<string, Promise<readonly Ring[]>>();

/** A file's land, read once for all maps. */
export function ringsOnce(file: string): Promise<readonly Ring[]> {
  const known = lands.get(file) ?? readRings(file);
  lands.set(file, known);
  return known;
}

async function readRings(file: string): Promise<readonly Ring[]> {
  const answer = await fetch(file);
  if (!answer.ok) throw new Error("There is no land");
  return ringsOf(await answer.json());
}
