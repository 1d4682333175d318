import { type ParseArgsConfig, parseArgs } from "node:util";
import type { Projection } from "#projections/engine/projection.ts";
import { UsageError } from "./command.ts";

/** `parseArgs` with UsageErrors as errors. */
export function readArguments<const O extends NonNullable<ParseArgsConfig["options"]>>(
  args: readonly string[],
  options: O,
  allowPositionals: boolean,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** A whole number of at least 1. @throws UsageError */
export function countArgument(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${name} takes a number from 1 on`);
  return Number(text);
}

/** @throws UsageError for an unknown name */
export function projectionNamed(projections: readonly Projection[], name: string): Projection {
  const projection = projections.find((one) => one.name === name);
  if (projection) return projection;
  const names = projections.map((one) => one.name).join(", ");
  throw new UsageError(`There is no projection ${name}: there are ${names}`);
}
