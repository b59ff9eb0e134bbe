import {
  buildModerationEmail,
  type EmailSite,
  findConfirmedEmail,
  inLanguage,
  queueEmail,
} from '#server/notifications/index.ts';
import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { publish } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import type { JobQueue } from '#server/core/job-queue.ts';
import type { ModeratorMessage } from '#shared/moderation/moderation.ts';
import type { EmailedMessage } from './member-actions.ts';
import { setMessagesSeen, listUnseenMessages } from './moderator-messages-queries.ts';

/** Messages in one response at most. The next ones follow when these are marked as seen. */
const maxMessages = 20;

/** Returns the viewer's unseen messages from moderators, oldest first. */
export async function readModeratorMessages(db: Reader, viewer: Viewer): Promise<ModeratorMessage[]> {
  const rows = await listUnseenMessages(db, { memberId: viewer.id, limit: maxMessages });
  return rows.map(({ id, kind, reason, until, title, ...row }) => ({
    id,
    kind,
    reason,
    until: until?.toISOString() ?? null,
    title,
    tag: row.tag_name === null ? null : { name: row.tag_name, synonymOf: row.synonym_of },
    createdAt: row.created_at.toISOString(),
    objectableId: row.objectable_id,
  }));
}

/** Marks the viewer's messages up to the id `upTo` as seen. */
export async function markMessagesSeen(
  db: Database,
  { viewer, upTo }: { viewer: Viewer; upTo: number },
): Promise<void> {
  await transaction(db, async (tx) => {
    if (await setMessagesSeen(tx, { memberId: viewer.id, upTo }))
      await publish(tx, `member:${viewer.id}`, { kind: 'member-changed' });
  });
}

/** Queues an email about a warning or a suspension if the member has confirmed an address. */
export async function queueModeratorMessageEmail(
  tx: Tx,
  { jobs, site, notice }: { jobs: JobQueue; site: EmailSite; notice: EmailedMessage },
): Promise<void> {
  const address = await findConfirmedEmail(tx, notice.memberId);
  if (address === undefined) return;
  const email = buildModerationEmail({ ...notice, site: inLanguage(site, address.language) });
  const expiresAtMs = Date.now() + 14 * 24 * 60 * 60 * 1_000;
  await queueEmail(tx, jobs, {
    key: `notice ${notice.id}`,
    email: { ...email, to: address.email, memberId: notice.memberId, expiresAtMs },
  });
}
