import { sql } from 'kysely';
import type { Reader, Tx } from '#server/platform/database.ts';
import { nameless } from '#server/posts/post.ts';
import type { Role } from '#shared/accounts.ts';

export type CareMemberRow = {
  id: number;
  name: string;
  role: Role;
  suspended_until: Date | null;
  suspension_reason: string | null;
  warnings: number;
  hidden_posts: number;
};

const columns = sql`
  member.id, coalesce(display_name, ${nameless}) as name, role, suspended_until, suspension_reason,
  (select count(*) from moderator_message where member_id = member.id and kind = 'warning') as warnings,
  (select count(*) from hidden_post where author_id = member.id) as hidden_posts`;

export async function memberForCare(db: Reader, id: number): Promise<CareMemberRow | undefined> {
  const { rows } = await sql<CareMemberRow>`select ${columns} from member where id = ${id}`.execute(db);
  return rows[0];
}

export async function lockMember(tx: Tx, id: number): Promise<CareMemberRow | undefined> {
  const { rows } = await sql<CareMemberRow>`
    select ${columns} from member where id = ${id} for no key update`.execute(tx);
  return rows[0];
}

export async function setSuspension(
  tx: Tx,
  { memberId, until, reason }: { memberId: number; until: Date | null; reason: string | null },
) {
  await sql`
    update member set suspended_until = ${until}, suspension_reason = ${reason} where id = ${memberId}`.execute(
    tx,
  );
}
