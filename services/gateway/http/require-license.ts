import deprecated from "spdx-license-ids/deprecated.json" with { type: "json" };
import current from "spdx-license-ids/index.json" with { type: "json" };
import type { CatalogueMetadata } from "#contracts/catalogue-metadata.ts";
import { invalid } from "#contracts/errors.ts";

const KNOWN: ReadonlySet<string> = new Set([...current, ...deprecated]);

/**
 * Checks that a licence is named as the SPDX License List does.
 * @throws Refusal VALIDATION_ERROR
 */
export function requireLicense(
  metadata: Pick<CatalogueMetadata, "license"> | null | undefined,
): void {
  const license = metadata?.license;
  if (license === undefined || KNOWN.has(license)) return;
  throw invalid("metadata.license", "is no SPDX id");
}
