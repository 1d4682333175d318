import {
  COUNT_FORMATS,
  DEFAULT_FORMAT,
  type FdsnFormat,
  type FdsnMethod,
  formatNamed,
} from "./formats.ts";
import { ParameterFault } from "./parameter-fault.ts";
import { PARAMETERS } from "./parameters.ts";
import type { RawParameters } from "./raw-parameters.ts";
import { expected } from "./values.ts";

/**
 * The format that the parameter or the path names, else the method's default.
 * @throws ParameterFault for an unknown one, and where the two differ
 */
export function requestedFormat(
  parameters: RawParameters,
  method: FdsnMethod,
  pathFormat: string | undefined,
): FdsnFormat {
  const names = [pathFormat, parameters.get("format")].filter((name) => name !== undefined);
  const [format, other] = names.map((name) => formatNamed(name, method));
  if (format === null || other === null) throw expected("format", formatNames(method));
  if (format !== undefined && other !== undefined && format !== other) {
    throw new ParameterFault("format", "is another in the path");
  }
  return format ?? DEFAULT_FORMAT[method];
}

function formatNames(method: FdsnMethod): string {
  return (method === "query" ? PARAMETERS.format.options : COUNT_FORMATS).join(", ");
}
