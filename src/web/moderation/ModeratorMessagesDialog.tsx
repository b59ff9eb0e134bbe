import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ModeratorMessage } from '#shared/moderation/moderation.ts';
import { formatDateTime } from '#web/core/format.ts';
import { paths } from '#web/core/paths.ts';
import { toastError } from '#web/core/toast.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { Link } from '#web/ui/Link.tsx';
import { Time } from '#web/ui/Time.tsx';
import { moderatorMessagesQuery, markMessagesSeen } from './moderation.ts';
import { ObjectionForm } from './ObjectionForm.tsx';
import classes from './moderation.module.css';

/** Messages of the moderators, until the member confirms them. */
export default function ModeratorMessagesDialog() {
  const client = useQueryClient();
  const items = useQuery(moderatorMessagesQuery).data?.items ?? [];
  const last = items.at(-1);
  if (last === undefined) return null;
  const markSeen = () =>
    void markMessagesSeen(client, last.id).catch((error: Error) => toastError(error.message));
  return (
    <Dialog title={t`Message from the moderators`} opened onClose={markSeen} closeButton={false}>
      {/* Not the button: the dialog may open while the member types, and a space would press it. */}
      <ul className={`${classes.list} ${classes.messages}`} tabIndex={-1} data-autofocus>
        {items.map((notice) => (
          <li key={notice.id} className={classes.card}>
            <p className={classes.strong} dir="auto">
              {moderatorMessageText(notice)}
            </p>
            {notice.reason !== '' && <p dir="auto">{notice.reason}</p>}
            <p className={classes.quiet}>
              <Time at={notice.createdAt} />
            </p>
            {notice.objectableId !== null && <ObjectionForm hiddenPostId={notice.objectableId} />}
          </li>
        ))}
      </ul>
      <p className={classes.quiet}>
        <Link href={paths.removedPosts}>{t`Your removed posts`}</Link>
        {' · '}
        <Link href={paths.moderationLog}>{t`Moderation log`}</Link>
      </p>
      <div className={classes.buttons}>
        <Button onClick={markSeen}>{t`Got it`}</Button>
      </div>
    </Dialog>
  );
}

function moderatorMessageText({ kind, until, title, tag }: ModeratorMessage): string {
  // The question of another member is hidden.
  const named = title ?? '…';
  if (tag !== null) return tagProposalText(kind, tag);
  if (kind === 'hidden') return t`Your post in “${named}” was hidden from others.`;
  if (kind === 'deleted') return t`Your post in “${named}” was deleted.`;
  if (kind === 'restored') return t`Your post in “${named}” was restored after your objection.`;
  if (kind === 'objection_declined')
    return t`Your objection was declined. Your post in “${named}” stays removed.`;
  if (kind === 'approved') return t`Your post in “${named}” was approved. Everyone can see it now.`;
  if (kind === 'rejected') return t`Your post in “${named}” was not approved.`;
  if (until !== null)
    return t`Your account is suspended until ${formatDateTime(until)}. You can read but not post.`;
  return t`You have received a warning.`;
}

function tagProposalText(
  kind: ModeratorMessage['kind'],
  { name, synonymOf }: NonNullable<ModeratorMessage['tag']>,
): string {
  if (kind === 'tag_rejected') return t`The topic “${name}” that you proposed was not created.`;
  if (synonymOf !== null)
    return t`“${name}”, which you proposed, is now another name of the topic “${synonymOf}”.`;
  return t`The topic “${name}” that you proposed exists now.`;
}
