/** ResourceIdentifier of QuakeML 1.2 BED in ASCII; as a URI it has at most one `#`. */
const RESOURCE_ID =
  /^(?:smi|quakeml):[A-Za-z0-9_][\w.*()~'-]{2,}\/(?:[\w.*()~'-][\w.*()+?~'=,;/&-]*)(?:#[\w.*()+?~'=,;/&-]*)?$/;

/** xs:dateTime; the day of the month is looked at apart. */
const DATE_TIME =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?$/;

/** Days that all months have. */
const SURE_DAYS = 28;

export function isSchemaId(text: string): boolean {
  return RESOURCE_ID.test(text);
}

export function isSchemaTime(text: string): boolean {
  if (!DATE_TIME.test(text)) return false;
  const day = Number(text.slice(8, 10));
  if (day <= SURE_DAYS) return true;
  const year = 2000 + (Number(text.slice(0, 4)) % 400);
  return day <= new Date(Date.UTC(year, Number(text.slice(5, 7)), 0)).getUTCDate();
}

/** A name without a prefix that any reader takes. */
export function isXmlName(name: string): boolean {
  return /^[A-Za-z_][\w.-]*$/.test(name) && !/^xml/i.test(name);
}
