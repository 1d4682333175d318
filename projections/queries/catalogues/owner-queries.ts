/** Who owns a catalogue in fact: a right never exceeds the role, and who is not active has none. */
import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { isThereFor, type Reader } from "../rights/reader-rights.ts";

/** Whether the user `u` may own. */
const IS_OWNER = sql.fragment`(u.is_active and u.role in ('editor', 'admin'))`;

/**
 * Whether a user or a group may own: an active editor or administrator, or a group with one.
 * @param id an expression of type text
 */
export function mayOwn(id: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`(
    exists (select from read_model.users u where u.id = ${id} and ${IS_OWNER})
    or exists (
      select from read_model.group_members gm join read_model.users u on u.id = gm.user_id
      where gm.group_id = ${id} and ${IS_OWNER}))`;
}

export type GroupLosing = {
  readonly groupId: string;
  /** Users who stay in it. */
  readonly kept: readonly string[];
  /** Who is told. */
  readonly reader: Reader;
};

/** Its name; null where the catalogue is not there for the reader. */
const Orphan = z.object({ name: z.string().nullable() });

/** A catalogue that would have no owner any more, one whose name the reader may know first; null for none. */
export function orphanOf(
  connection: CommonQueryMethods,
  { groupId, kept, reader }: GroupLosing,
): Promise<z.infer<typeof Orphan> | null> {
  return connection.maybeOne(sql.type(Orphan)`
    select case when ${isThereFor(reader, "c")} then c.name end as name
    from read_model.catalogue_members m join read_model.catalogues c on c.id = m.catalogue_id
    where m.member_id = ${groupId} and m.member_right = 'own' and ${mayOwn(sql.fragment`m.member_id`)}
      and not exists (
        select from read_model.users u
        where u.id = any(${sql.array([...kept], "text")}) and ${IS_OWNER})
      and not exists (
        select from read_model.catalogue_members o
        where o.catalogue_id = c.id and o.member_id <> m.member_id and o.member_right = 'own'
          and ${mayOwn(sql.fragment`o.member_id`)})
    order by 1 nulls last limit 1`);
}
