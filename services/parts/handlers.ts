import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Refusal } from "#contracts/errors.ts";
import { MANIFEST, PARQUET } from "#contracts/http/parts.ts";
import type { CatalogueFacts } from "#projections/read/rights.ts";
import type { FileAnswer, Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { namesIn, nullIfMissing, readManifest } from "./publish.ts";

export function handlersOfParts({ partsDir }: Pick<HandlerDeps, "partsDir">) {
  return {
    getPartsManifest: async ({ facts }) => {
      const folder = join(partsDir, allowed(facts));
      const bytes = await readFile(join(folder, MANIFEST)).catch(nullIfMissing);
      if (bytes === null) throw new Refusal("NOT_FOUND", "The parts are being written");
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      return {
        contentType: "application/json; charset=utf-8",
        file: {
          bytes: bytes.length,
          sha256,
          open: async function* (from, to) {
            yield bytes.subarray(from, to + 1);
          },
        },
      };
    },

    getBasePart: async ({ params: { year, file }, facts }) =>
      partAnswer(join(partsDir, allowed(facts)), `base/${year}/${file}`),

    getPart: async ({ params: { folder, file }, facts }) =>
      partAnswer(join(partsDir, allowed(facts)), `${folder}/${file}`),
  } satisfies Partial<Handlers>;
}

/** The id of a catalogue that has parts for its reader. @throws Refusal NOT_FOUND */
function allowed(facts: CatalogueFacts | null): string {
  if (facts === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
  if (!facts.parts) throw new Refusal("NOT_FOUND", "The catalogue has no parts");
  // Parts are the same for everybody, so they name no source that is hidden from anybody.
  if (facts.hidden !== null || facts.seesMore) {
    throw new Refusal(
      "NOT_FOUND",
      "A catalogue with a source that is not everybody's has no parts",
    );
  }
  return facts.id;
}

/** @throws Refusal NOT_FOUND; UNAVAILABLE where the manifest names the file */
async function partAnswer(directory: string, path: string): Promise<FileAnswer> {
  const file = join(directory, path);
  const found = await stat(file).catch(nullIfMissing);
  if (found === null) {
    const manifest = await readManifest(directory);
    if (manifest !== null && namesIn(manifest).has(path))
      throw new Refusal("UNAVAILABLE", "This server has not got the file");
    throw new Refusal("NOT_FOUND", "There is no such part");
  }
  return {
    contentType: PARQUET,
    file: {
      bytes: found.size,
      sha256: path.slice(-SHA256_ENDS, -PARQUET_ENDS),
      open: async function* (start, end) {
        yield* createReadStream(file, { start, end });
      },
    },
  };
}

/** How far from its end a path has its hash, and `.parquet`. */
const [SHA256_ENDS, PARQUET_ENDS] = [72, 8];
