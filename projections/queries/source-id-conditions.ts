import { type FragmentSqlToken, sql } from "slonik";

/** Conditions on read_model.seismic_events, worded as its indexes are. */

export function hasSourceId(ids: readonly string[]): FragmentSqlToken {
  return sql.fragment`source_id = any(${sql.array([...ids], "text")})`;
}

/** A longer text is no public id; it begins as one may. */
export function hasPublicId(ids: readonly string[]): FragmentSqlToken {
  return sql.fragment`extra is not null
    and left(extra ->> 'public_id', 255) = any(${sql.array([...ids], "text")})`;
}

/** The bare id in a `source_id`, as contracts/seismic-event/public-id.ts defines it. */
export const BARE_ID = sql.fragment`coalesce(
  substring(source_id from '[?&/](?:[eE][vV][eE][nN][tT][iI][dD]|[eE][vV][iI][dD]|[iI][dD])=([^&#/]+)'),
  substring(
    regexp_replace(source_id, '(?:/(?:[eE][vV][eE][nN][tT])?#?)+$', '') from '[^/]*$'))`;

/** Events whose `source_id` is not a bare id, and holds one of those given. */
export function bearsBareId(ids: readonly string[]): FragmentSqlToken {
  return sql.fragment`source_id ~ '[/?&]' and ${BARE_ID} = any(${sql.array([...ids], "text")})`;
}
