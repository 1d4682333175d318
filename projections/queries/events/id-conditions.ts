import { type FragmentSqlToken, sql } from "slonik";

/** Conditions on read_model.seismic_events, written like its index expressions. */
export function hasSourceId(ids: readonly string[]): FragmentSqlToken {
  return sql.fragment`source_id = any(${sql.array([...ids], "text")})`;
}

/** A longer text is not a public id, although its beginning may look like one. */
export function hasPublicId(ids: readonly string[]): FragmentSqlToken {
  return sql.fragment`extra is not null
    and left(extra ->> 'public_id', 255) = any(${sql.array([...ids], "text")})`;
}

/** The bare id in a `source_id`, as defined in contracts/seismic-event/public-id.ts. */
export const BARE_ID = sql.fragment`coalesce(
  substring(source_id from '[?&/](?:[eE][vV][eE][nN][tT][iI][dD]|[eE][vV][iI][dD]|[iI][dD])=([^&#/]+)'),
  substring(
    regexp_replace(source_id, '(?:/(?:[eE][vV][eE][nN][tT])?#?)+$', '') from '[^/]*$'))`;

/** Events whose `source_id` contains one of the bare ids without being it. */
export function bearsBareId(ids: readonly string[]): FragmentSqlToken {
  return sql.fragment`source_id ~ '[/?&]' and ${BARE_ID} = any(${sql.array([...ids], "text")})`;
}
