import type { Foreign } from "#contracts/bulletin/bulletin.ts";
import { OWN_NAMESPACE } from "../quakeml/shared/event-ids.ts";

/** What a format says and QuakeML has no place for, as text by the name that the format gives it. */
export function own(name: string, text: string): Foreign {
  return { ns: OWN_NAMESPACE, name, text };
}

/** As `own`, but several values as attributes of one; none without any. */
export function ownValues(
  name: string,
  values: Readonly<Record<string, string | undefined>>,
): readonly Foreign[] {
  const attributes = Object.entries(values).flatMap(([key, text]) =>
    text === undefined || text === "" ? [] : [{ name: key, text }],
  );
  return attributes.length === 0 ? [] : [{ ns: OWN_NAMESPACE, name, attributes }];
}
