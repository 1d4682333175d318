import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { MemberKind } from "#contracts/catalogue-rights.ts";
import { Member } from "#contracts/http/members.ts";
import { mayOwn } from "./owner-queries.ts";

/** The members of a catalogue that are there still, owners first, then by name. */
export function listMembers(
  pool: CommonQueryMethods,
  catalogueId: string,
): Promise<readonly Member[]> {
  return pool.any(sql.type(Member)`
    select m.member_id as id, m.kind, coalesce(u.name, g.name) as name, m.member_right as right
    from read_model.catalogue_members m
    left join read_model.users u on m.kind = 'user' and u.id = m.member_id
    left join read_model.groups g on m.kind = 'group' and g.id::text = m.member_id
    where m.catalogue_id = ${catalogueId}::uuid and coalesce(u.id, g.id::text) is not null
    order by array_position(array['own', 'edit', 'read'], m.member_right), 3, 1`);
}

const Candidate = z.object({ kind: MemberKind, mayOwn: z.boolean() });

/** Users and groups that are there, by id. */
export async function candidates(
  pool: CommonQueryMethods,
  ids: readonly string[],
): Promise<ReadonlyMap<string, z.infer<typeof Candidate>>> {
  const wanted = sql.array([...ids], "text");
  const rows = await pool.any(sql.type(Candidate.extend({ id: z.string() }))`
    select c.id, c.kind, ${mayOwn(sql.fragment`c.id`)} as "mayOwn" from (
      select id, 'user' as kind from read_model.users where id = any(${wanted})
      union all
      select id::text, 'group' from read_model.groups where id::text = any(${wanted})) c`);
  return new Map(rows.map(({ id, ...candidate }) => [id, candidate]));
}
