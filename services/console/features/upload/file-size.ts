import { MIB } from "#contracts/units.ts";

const KIB = 1024;

/** "3.6 MiB", "12 KiB": rounded up, so that what is too large never looks as if it were not. */
export function fileSize(bytes: number): string {
  if (bytes < KIB) return `${bytes} bytes`;
  if (bytes < MIB) return `${Math.ceil(bytes / KIB)} KiB`;
  return `${Math.ceil((bytes / MIB) * 10) / 10} MiB`;
}

/** Why a file of this size is not sent; nothing where it is, or where the limit is not known. */
export function sizeProblem(bytes: number, maxBytes: number | undefined): string | undefined {
  if (bytes === 0) return "This file is empty.";
  if (maxBytes === undefined || bytes <= maxBytes) return undefined;
  return `This file has ${fileSize(bytes)}. The largest that can be uploaded has ${fileSize(maxBytes)}.`;
}
