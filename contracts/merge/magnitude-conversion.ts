import { z } from "zod";
import { isShownLine, NOT_SHOWN } from "../shown-text.ts";

const line = (most: number) =>
  z.string().min(1).max(most).refine(isShownLine, { message: NOT_SHOWN });

/** The name of a conversion: `extra.converted_from` and the bulletin tell it. */
export const ConversionName = line(100);

/**
 * A linear relation between two types of magnitude: slope · m + intercept, with the uncertainty
 * √((slope · σ)² + sigma²) where σ is that of m.
 */
export const MagnitudeConversion = z
  .strictObject({
    name: ConversionName,
    from: line(32).describe("type of the magnitudes that it converts"),
    agency: line(255).optional().describe("of this agency's alone"),
    to: line(32).describe("type of what it makes of them"),
    slope: z.number().min(-10).max(10),
    intercept: z.number().min(-100).max(100),
    sigma: z.number().min(0).max(10).describe("standard error of the relation"),
    range: z
      .tuple([z.number(), z.number()])
      .refine(([low, high]) => low <= high, { message: "begins above its end" })
      .describe("least and greatest magnitude that it holds for"),
    reference: line(1000).describe("where it was published"),
  })
  .meta({ id: "MagnitudeConversion" });
export type MagnitudeConversion = z.infer<typeof MagnitudeConversion>;
