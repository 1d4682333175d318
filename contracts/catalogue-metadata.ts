import { z } from "zod";
import { isShownLine, isShownText, NOT_SHOWN } from "./text.ts";

/** What a catalogue is cited by, as the log keeps it. */
export const StoredMetadata = z.object({
  title: z.string().optional(),
  description: z.string().optional(),
  creators: z
    .array(z.object({ name: z.string(), orcid: z.string().optional(), ror: z.string().optional() }))
    .optional(),
  publisher: z.string().optional(),
  license: z.string().optional(),
  doi: z.string().optional(),
  references: z.array(z.string()).optional(),
});
export type CatalogueMetadata = z.infer<typeof StoredMetadata>;

/** Bounds that keep the event of a change well below an append's limit, whatever the script. */
const LIMITS = {
  line: 500,
  description: 10_000,
  creators: 200,
  references: 100,
  url: 2_000,
} as const;

const line = z.string().min(1).max(LIMITS.line).refine(isShownLine, { message: NOT_SHOWN });

/** An ORCID iD, bare or as address; ISO 7064 MOD 11-2 (ORCID, "Structure of the ORCID Identifier"). */
const Orcid = z
  .string()
  .regex(/^(?:https:\/\/orcid\.org\/)?\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/, { message: "is no ORCID iD" })
  .refine((text) => isOrcid(text), { message: "is no ORCID iD: its last digit does not fit" });

/** A ROR id, bare or as address; ISO 7064 MOD 97-10 over Crockford's base 32 (ROR, "ROR identifier pattern"). */
const Ror = z
  .string()
  .regex(/^(?:https:\/\/ror\.org\/)?0[a-hj-km-np-tv-z0-9]{6}\d{2}$/, { message: "is no ROR id" })
  .refine((text) => isRor(text), { message: "is no ROR id: its last two digits do not fit" });

const Doi = z
  .string()
  .max(LIMITS.url)
  .regex(/^(?:https:\/\/doi\.org\/)?10\.\d{4,9}(?:\.\d+)*\/[!-~]+$/, { message: "is no DOI" });

const WebAddress = z
  .string()
  .max(LIMITS.url)
  .refine((text) => /^https?:\/\/[!-~]+$/.test(text) && URL.canParse(text), {
    message: "is no address of the web",
  });

export const CatalogueMetadataInput = z
  .strictObject({
    title: line.optional().describe("the name of the catalogue where absent"),
    description: z
      .string()
      .max(LIMITS.description)
      .refine(isShownText, { message: NOT_SHOWN })
      .optional(),
    creators: z
      .array(
        z.strictObject({
          name: line,
          orcid: Orcid.optional().describe("of a person: bare or https address"),
          ror: Ror.optional().describe("of an organisation: bare or https address"),
        }),
      )
      .max(LIMITS.creators)
      .optional(),
    publisher: line.optional(),
    license: z
      .string()
      .max(LIMITS.line)
      .regex(/^[A-Za-z0-9.+-]+$/, { message: "is no SPDX id" })
      .optional()
      .describe("an SPDX id, for example CC-BY-4.0"),
    doi: Doi.optional().describe("bare or https address"),
    references: z.array(WebAddress).max(LIMITS.references).optional(),
  })
  .meta({ id: "CatalogueMetadata" });

/** The page of a licence of the SPDX License List. */
export function licenseAddress(license: string): string {
  return `https://spdx.org/licenses/${license}.html`;
}

const ORCID_START = "https://orcid.org/".length;

function isOrcid(text: string): boolean {
  const digits = text.slice(text.startsWith("https") ? ORCID_START : 0).replaceAll("-", "");
  let total = 0;
  for (const digit of digits.slice(0, -1)) total = (total + Number(digit)) * 2;
  const check = (12 - (total % 11)) % 11;
  return digits.endsWith(check === 10 ? "X" : String(check));
}

/** Crockford's base 32: no i, l, o, u. */
const BASE32 = "0123456789abcdefghjkmnpqrstvwxyz";

function isRor(text: string): boolean {
  const id = text.slice(-9);
  let number = 0;
  for (const digit of id.slice(0, 7)) number = number * BASE32.length + BASE32.indexOf(digit);
  return 98 - ((number * 100) % 97) === Number(id.slice(7));
}
