import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ModeratorMessage } from '#shared/moderation/moderation.ts';
import { formatDateTime } from '#web/core/format.ts';
import { paths } from '#web/core/paths.ts';
import { toastError } from '#web/core/toast.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { PathLink } from '#web/ui/PathLink.tsx';
import { Time } from '#web/ui/Time.tsx';
import { moderatorMessagesQuery, markMessagesSeen } from './moderation.ts';
import classes from './moderation.module.css';

/** What the operators told the member, until they say that they have seen it. */
export default function ModeratorMessagesDialog() {
  const client = useQueryClient();
  const items = useQuery(moderatorMessagesQuery).data?.items ?? [];
  const last = items.at(-1);
  if (last === undefined) return null;
  const markSeen = () =>
    void markMessagesSeen(client, last.id).catch((error: Error) => toastError(error.message));
  return (
    <Dialog title={t`From the operators`} opened onClose={markSeen} closeButton={false}>
      <ul className={classes.list}>
        {items.map((notice) => (
          <li key={notice.id} className={classes.card}>
            <p className={classes.strong} dir="auto">
              {moderatorMessageText(notice)}
            </p>
            <p dir="auto">{notice.reason}</p>
            <p className={classes.quiet}>
              <Time at={notice.createdAt} />
            </p>
          </li>
        ))}
      </ul>
      <p className={classes.quiet}>
        <PathLink href={paths.careLog}>{t`What was done and why`}</PathLink>
      </p>
      <div className={classes.buttons}>
        <Button data-autofocus onClick={markSeen}>
          {t`I have read this`}
        </Button>
      </div>
    </Dialog>
  );
}

function moderatorMessageText({ kind, until, title }: ModeratorMessage): string {
  const named = title ?? '';
  if (kind === 'hidden') return t`A post of yours under “${named}” was hidden from others.`;
  if (kind === 'deleted') return t`A post of yours under “${named}” was deleted.`;
  if (until !== null) return t`You can read but not write until ${formatDateTime(until)}.`;
  return t`This is a warning.`;
}
