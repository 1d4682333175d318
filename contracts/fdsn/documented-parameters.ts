import { z } from "zod";
import { bounded } from "../bounded.ts";
import { unknownCase } from "../unknown-case.ts";
import { COUNT_FORMATS, type FdsnMethod } from "./formats.ts";
import type { Parameter } from "./parameter.ts";
import { PARAMETERS } from "./parameters.ts";

/** The parameters of a method, for the OpenAPI document; requests are read by `parseFdsnQuery`. */
export function documentedParameters(method: FdsnMethod): z.ZodObject {
  const parameters: [string, Parameter][] = Object.entries(PARAMETERS);
  return z.strictObject(
    Object.fromEntries(
      parameters.map(([name, parameter]) => {
        const options = name === "format" && method === "count" ? COUNT_FORMATS : parameter.options;
        const schema = schemaOf({ ...parameter, ...(options && { options }) });
        return [name, schema.describe(parameter.meaning).optional()];
      }),
    ),
  );
}

function schemaOf({ kind, min, max, options }: Parameter): z.ZodType {
  switch (kind) {
    case "number":
    case "integer":
      return bounded(kind === "integer" ? z.int() : z.number(), { min, max });
    case "boolean":
      return z.enum(["true", "false"]);
    case "choice":
      return options === undefined ? z.string() : z.enum(options as [string, ...string[]]);
    case "time":
    case "list":
    case "text":
    case "version":
      return z.string();
    default:
      return unknownCase(kind);
  }
}
