/** Requests to one agency at a time, where nothing else is said. */
export const REQUESTS_AT_ONCE = 2;

/** What settings of an agency may be at most; the id and the texts in characters. */
export const AGENCY_LIMITS = { id: 64, name: 100, url: 2000, perRequest: 1_000_000, atOnce: 16 };

/** The id of an agency that is known by its name alone: small letters and digits, with a hyphen for anything else. */
export function agencySlug(name: string): string {
  const plain = name
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toLowerCase();
  const slug = plain.replaceAll(/[^a-z0-9]+/g, "-").slice(0, AGENCY_LIMITS.id);
  return slug.replaceAll(/^-|-$/g, "") || "agency";
}
