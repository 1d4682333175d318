import { z } from "zod";

const ElementTally = z
  .object({ read: z.int(), kept: z.int(), dropped: z.int() })
  .meta({ id: "ElementTally" });

/** The elements of bulletins by kind; kinds that there were not are left out. */
export const ElementTalliesBody = z
  .record(z.string(), ElementTally)
  .describe("of bulletins, by QuakeML's names; absent where there were none");
