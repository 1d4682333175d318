import { createReadStream } from "node:fs";
import { hashExport } from "#services/versions/hash-file.ts";
import { type CommandTools, type ExitCode, fileArgument } from "./command.ts";

/** The file to hash; null for the standard input. @throws UsageError */
export function hashedFile(args: readonly string[]): string | null {
  return args.length === 1 && args[0] === "-" ? null : fileArgument(args);
}

/** Writes the SHA-256 of the canonical form of a JSON export, which the record of its version has. */
export async function runHash(
  file: string | null,
  { write }: Pick<CommandTools, "write">,
): Promise<ExitCode> {
  const { sha256, count } = await hashExport(
    file === null ? process.stdin : createReadStream(file),
  );
  await write(`${sha256}  ${count} events`);
  return 0;
}
