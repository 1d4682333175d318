import { z } from "zod";
import { ELEMENT_KINDS } from "./element-counts.ts";

const ElementTally = z
  .object({ read: z.int(), kept: z.int(), dropped: z.int() })
  .meta({ id: "ElementTally" });

/** The elements of bulletins by kind; kinds that there were not are left out. */
export const ElementTalliesBody = z
  .partialRecord(z.enum(ELEMENT_KINDS), ElementTally)
  .describe("of bulletins, by QuakeML's names; absent where there were none");
