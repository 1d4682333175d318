import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { Kind } from "#contracts/bulletin/field.ts";
import type { OpenObject } from "../reading/foreign-of-object.ts";
import { walkReferences } from "../reading/reference-walk.ts";
import { standInPlace } from "../shared/own-forms.ts";
import { serviceId } from "../shared/service-id.ts";
import { isSchemaId } from "./schema-values.ts";

/** Ids of the service for objects whose own ids the schema refuses. */
export type StandIns = {
  readonly ofObject: (object: object) => string | undefined;
  /** For references: of several objects of a kind with one id, the first's. */
  readonly ofId: (kind: Kind, id: string) => string | undefined;
};

export const NO_STAND_INS: StandIns = { ofObject: () => undefined, ofId: () => undefined };

export function standInsOf(bulletin: Bulletin): StandIns {
  const ofObject = new Map<object, string>();
  const ofId = new Map<string, string>();
  const counts = new Map<Kind, number>();
  walkReferences(bulletin as OpenObject, {
    object(kind, object) {
      const place = counts.get(kind) ?? 0;
      counts.set(kind, place + 1);
      const id = object["publicID"] as string;
      if (isSchemaId(id)) return;
      const standIn = serviceId(bulletin.publicID, kind, standInPlace(place));
      ofObject.set(object, standIn);
      const key = `${kind} ${id}`;
      if (!ofId.has(key)) ofId.set(key, standIn);
    },
  });
  if (ofObject.size === 0) return NO_STAND_INS;
  return {
    ofObject: (object) => ofObject.get(object),
    ofId: (kind, id) => ofId.get(`${kind} ${id}`),
  };
}
