import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createZstdDecompress } from "node:zlib";
import { z } from "zod";
import {
  BackupHeader,
  BackupTrailer,
  END_OF_ROWS,
  TableLine,
  UnusableBackup,
} from "./backup-format.ts";

export type BackupPart =
  | { readonly kind: "header"; readonly header: BackupHeader }
  | { readonly kind: "table"; readonly table: TableLine }
  /** Whole COPY lines of the table named before. */
  | { readonly kind: "rows"; readonly bytes: Buffer }
  | { readonly kind: "end of table" }
  | { readonly kind: "trailer"; readonly trailer: BackupTrailer };

const LF = 0x0a;
const END = Buffer.from(END_OF_ROWS);

/**
 * The parts of a backup in order. When the trailer was returned, the whole file has been verified.
 * @throws UnusableBackup
 */
export async function* readBackup(file: string): AsyncGenerator<BackupPart> {
  const hash = createHash("sha256");
  let expects: "header" | "table" | "rows" | "nothing" = "header";
  for await (const lines of blocksOfLines(file)) {
    let from = 0;
    while (from < lines.length) {
      if (expects === "rows") {
        const end = endOfRows(lines, from);
        const rows = lines.subarray(from, end ?? lines.length);
        hash.update(rows);
        if (rows.length > 0) yield { kind: "rows", bytes: rows };
        if (end === null) break;
        hash.update(lines.subarray(end, end + END.length + 1));
        from = end + END.length + 1;
        expects = "table";
        yield { kind: "end of table" };
        continue;
      }
      const stop = lines.indexOf(LF, from) + 1;
      const line = lines.subarray(from, stop);
      from = stop;
      if (expects === "nothing") throw new UnusableBackup(`${file} goes on after its end`);
      if (expects === "header") {
        hash.update(line);
        expects = "table";
        yield { kind: "header", header: parsed(file, BackupHeader, line) };
        continue;
      }
      const content = parsed(file, z.union([TableLine, BackupTrailer]), line);
      if ("table" in content) {
        hash.update(line);
        expects = "rows";
        yield { kind: "table", table: content };
        continue;
      }
      if (hash.digest("hex") !== content.sha256) {
        throw new UnusableBackup(`${file} has changed since it was written`);
      }
      expects = "nothing";
      yield { kind: "trailer", trailer: content };
    }
  }
  if (expects !== "nothing") throw new UnusableBackup(`${file} was cut off`);
}

/** Offset of the line that ends the rows; null when these lines do not contain it. */
function endOfRows(lines: Buffer, from: number): number | null {
  for (let at = lines.indexOf(END, from); at !== -1; at = lines.indexOf(END, at + 1)) {
    const isLine = (at === from || lines[at - 1] === LF) && lines[at + END.length] === LF;
    if (isLine) return at;
  }
  return null;
}

function parsed<S extends z.ZodType>(file: string, schema: S, line: Buffer): z.output<S> {
  try {
    return schema.parse(JSON.parse(line.toString()));
  } catch (cause) {
    throw new UnusableBackup(`${file} is not a backup that this version can read`, { cause });
  }
}

/** The decompressed stream in blocks of whole lines. @throws UnusableBackup */
async function* blocksOfLines(file: string): AsyncGenerator<Buffer> {
  const source = createReadStream(file);
  const decompress = createZstdDecompress();
  source.on("error", (error) => decompress.destroy(error));
  let rest: Buffer[] = [];
  try {
    for await (const bytes of source.pipe(decompress) as AsyncIterable<Buffer>) {
      const end = bytes.lastIndexOf(LF) + 1;
      if (end === 0) {
        rest.push(bytes);
        continue;
      }
      yield Buffer.concat([...rest, bytes.subarray(0, end)]);
      rest = end < bytes.length ? [bytes.subarray(end)] : [];
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code?.startsWith("E") && !code.startsWith("ERR_")) {
      throw new UnusableBackup(`${file} cannot be read (${code})`, { cause });
    }
    throw new UnusableBackup(`${file} is not a backup, or was cut off`, { cause });
  } finally {
    source.destroy();
  }
  if (rest.length > 0) throw new UnusableBackup(`${file} was cut off`);
}
