import { queueEmail } from '#server/notifications/email.ts';
import { buildModerationEmail } from '#server/notifications/email-templates.ts';
import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { publish } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import type { JobQueue } from '#server/core/job-queue.ts';
import { findConfirmedEmail } from '#server/notifications/preferences.ts';
import type { ModeratorMessage } from '#shared/moderation/moderation.ts';
import type { EmailedMessage } from './member-actions.ts';
import { setMessagesSeen, listUnseenMessages } from './moderator-messages-queries.ts';

/** Notices shown at once; more come when these are seen. */
const maxMessages = 20;

/** What the operators told the viewer and they have not seen yet, the first first. */
export async function readModeratorMessages(db: Reader, viewer: Viewer): Promise<ModeratorMessage[]> {
  const rows = await listUnseenMessages(db, { memberId: viewer.id, limit: maxMessages });
  return rows.map(({ id, kind, reason, until, title, created_at: createdAt }) => ({
    id,
    kind,
    reason,
    until: until?.toISOString() ?? null,
    title,
    createdAt: createdAt.toISOString(),
  }));
}

/** The viewer has seen what they were told, up to `upTo`. */
export async function markMessagesSeen(
  db: Database,
  { viewer, upTo }: { viewer: Viewer; upTo: number },
): Promise<void> {
  await transaction(db, async (tx) => {
    if (await setMessagesSeen(tx, { memberId: viewer.id, upTo }))
      await publish(tx, `member:${viewer.id}`, { kind: 'standing-changed' });
  });
}

/** Mails a warning or a suspension, where the member has confirmed an address. */
export async function queueModeratorMessageEmail(
  tx: Tx,
  { jobs, site, notice }: { jobs: JobQueue; site: string; notice: EmailedMessage },
): Promise<void> {
  const address = await findConfirmedEmail(tx, notice.memberId);
  if (address === undefined) return;
  const email = buildModerationEmail({ ...notice, site });
  const expiresAtMs = Date.now() + 14 * 24 * 60 * 60 * 1_000;
  await queueEmail(tx, jobs, {
    key: `notice ${notice.id}`,
    letter: { ...email, to: address.email, expiresAtMs },
  });
}
