import type { BulletinFormat } from "#contracts/http/bulletins/bulletins.ts";
import { acceptedType } from "../../http/headers/accepted-type.ts";

export const CONTENT_TYPES: Readonly<Record<BulletinFormat, string>> = {
  json: "application/json; charset=utf-8",
  quakeml: "application/xml",
  isf: "text/plain; charset=utf-8",
};

/** JSON first: it is the answer to whoever accepts anything. */
const BY_MEDIA_TYPE: ReadonlyMap<string, BulletinFormat> = new Map([
  ["application/json", "json"],
  ["application/xml", "quakeml"],
  ["text/plain", "isf"],
]);

/** The format that `Accept` prefers; JSON when it accepts none of them. */
export function acceptedBulletinFormat(accept: string | undefined): BulletinFormat {
  const type = acceptedType(accept, [...BY_MEDIA_TYPE.keys()]);
  return BY_MEDIA_TYPE.get(type ?? "") ?? "json";
}
