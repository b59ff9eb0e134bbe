import type { Queryable } from '#server/platform/database.ts';

export async function memberByEmail(db: Queryable, email: string) {
  return db.selectFrom('member').select(['id']).where('email', '=', email).executeTakeFirst();
}

export async function ownMember(db: Queryable, id: number) {
  return db
    .selectFrom('member')
    .select([
      'id',
      'display_name',
      'email',
      'email_verified',
      'bio',
      'created_at',
      'updated_at',
      'reputation',
      'questions_count',
      'answers_count',
    ])
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function sessionsOf(db: Queryable, memberId: number) {
  return db
    .selectFrom('session')
    .select(['id', 'created_at', 'expires_at', 'user_agent'])
    .where('member_id', '=', memberId)
    .where('expires_at', '>', new Date())
    .orderBy('created_at', 'desc')
    .limit(100)
    .execute();
}

/** Ends one session of a member. Returns whether there was one. */
export async function deleteSession(db: Queryable, { id, memberId }: { id: number; memberId: number }) {
  const gone = await db
    .deleteFrom('session')
    .where('id', '=', id)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return gone.numDeletedRows > 0n;
}

/** Returns how many there were. */
export async function deleteOtherSessions(
  db: Queryable,
  { keep, memberId }: { keep: number; memberId: number },
): Promise<number> {
  const gone = await db
    .deleteFrom('session')
    .where('member_id', '=', memberId)
    .where('id', '!=', keep)
    .executeTakeFirst();
  return Number(gone.numDeletedRows);
}
