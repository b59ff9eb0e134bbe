import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { likePrefix, unnamedMember } from '#server/core/sql.ts';
import type { ListedMember, MemberFilter } from '#shared/moderation/member-list.ts';

export type ListedMemberRow = Omit<
  ListedMember,
  'emailsOff' | 'registeredAt' | 'lastSignInAt' | 'suspendedUntil' | 'matchedRules'
> & {
  email: string;
  registeredAt: Date;
  lastSignInAt: Date | null;
  suspendedUntil: Date | null;
  emailsOffSince: Date | null;
  emailsOffReason: string | null;
};

const hasLink = sql.raw(
  String.raw`(bio ~* '(https?://|\mwww\.)' or display_name ~* '(https?://|\mwww\.)' or website is not null)`,
);

const filters: Readonly<Record<MemberFilter, RawBuilder<unknown>>> = {
  all: sql`source_id is null`,
  team: sql`role <> 'member'`,
  suspended: sql`suspended_until is not null and suspended_until > clock_timestamp()`,
  waiting: sql`id in (select member_id from registration where pending_step is not null)`,
  removed: sql`id in (select member_id from activity_removal where state <> 'restored')`,
  // With the condition of the index member_profile_links.
  profile_links: sql`source_id is null and ${hasLink}
    and created_at > now() - interval '30 days' and questions_count + answers_count = 0 and role = 'member'
    and (suspended_until is null or suspended_until <= clock_timestamp())
    and not exists (select from activity_removal where member_id = member.id and state <> 'restored')`,
};

const columns = sql`id, coalesce(display_name, ${unnamedMember}) as "displayName", email, avatar, role,
  created_at as "registeredAt", greatest(reputation, 0) as reputation, questions_count as questions,
  answers_count as answers,
  email_off_at as "emailsOffSince", email_off_reason as "emailsOffReason",
  case when suspended_until > clock_timestamp() then suspended_until end as "suspendedUntil",
  (select created_at from session where member_id = member.id order by created_at desc limit 1) as "lastSignInAt",
  (select pending_step from registration where member_id = member.id) as "pendingStep",
  exists (select from activity_removal where member_id = member.id and state <> 'restored') as "isRemoved",
  left(bio, 500) as bio, website`;

/** The accounts that registered last, before the time and id. */
export async function listLatestMembers(
  db: Reader,
  { show, before, limit }: { show: MemberFilter; before: { at: Date; id: number } | null; limit: number },
): Promise<ListedMemberRow[]> {
  const { rows } = await sql<ListedMemberRow>`
    select ${columns} from member
    where email is not null and application is null and ${filters[show]}
      ${before === null ? sql`` : sql`and (created_at, id) < (${before.at}, ${before.id})`}
    order by created_at desc, id desc limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

/** The accounts whose name begins with a text, by name. Served by the index member_mention_prefix. */
export async function listMembersNamed(
  db: Reader,
  { show, beginning, limit }: { show: MemberFilter; beginning: string; limit: number },
): Promise<ListedMemberRow[]> {
  const { rows } = await sql<ListedMemberRow>`
    select ${columns} from member
    where email is not null and application is null and ${filters[show]}
      and lower(display_name) collate "C" like lower(${likePrefix(beginning)}::text) collate "C"
    order by lower(display_name) collate "C", id limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

export async function listMembersWithEmail(
  db: Reader,
  { show, email }: { show: MemberFilter; email: string },
): Promise<ListedMemberRow[]> {
  const { rows } = await sql<ListedMemberRow>`
    select ${columns} from member
    where email = lower(${email}) and application is null and ${filters[show]}`.execute(db);
  return rows;
}
