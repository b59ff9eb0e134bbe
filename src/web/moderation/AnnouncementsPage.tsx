import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Announcement } from '#shared/moderation/announcements.ts';
import { formatDateTime } from '#web/core/format.ts';
import { useLive } from '#web/core/live.ts';
import { tagPath } from '#web/core/paths.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { AnnouncementText } from '#web/discovery/index.ts';
import { announcementsKey } from '#web/discovery/index.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { LoadError } from '#web/ui/LoadError.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { Link } from '#web/ui/Link.tsx';
import page from '#web/ui/page.module.css';
import { AnnouncementForm } from './AnnouncementForm.tsx';
import { allAnnouncementsQuery, endAnnouncement, postAnnouncement, toDraft } from './announcements.ts';
import classes from './moderation.module.css';
import { ModerationMenu } from './ModerationMenu.tsx';

/** Where moderators post and end announcements, and unpin questions. */
export function AnnouncementsPage() {
  usePageTitle(t`Announcements`);
  const client = useQueryClient();
  const query = useQuery(allAnnouncementsQuery);
  const refresh = () => void client.invalidateQueries({ queryKey: announcementsKey });
  useLive('moderation', { onEvents: refresh, onMissed: refresh });
  return (
    <>
      <div className={page.header}>
        <PageHeading className={page.heading}>{t`Announcements`}</PageHeading>
        <ModerationMenu />
      </div>
      <p className={classes.quiet}>
        {t`Announcements and pinned questions are shown above the list of questions. To pin a question, open its menu.`}
      </p>
      {query.data === undefined && query.isError && (
        <LoadError text={t`The announcements could not be loaded.`} query={query} />
      )}
      {query.data?.items.length === 0 && (
        <EmptyState title={t`No announcements`} text={t`Announcements that have not ended show up here.`} />
      )}
      <ul className={`${classes.list} ${classes.apart}`}>
        {query.data?.items.map((item) => (
          <AnnouncementCard key={item.id} item={item} />
        ))}
      </ul>
      <section className={classes.apart} aria-labelledby="new-announcement">
        <h2 id="new-announcement" className={classes.section}>{t`New announcement`}</h2>
        <AnnouncementForm />
      </section>
    </>
  );
}

function AnnouncementCard({ item }: { item: Announcement }) {
  const client = useQueryClient();
  const restore = () => {
    postAnnouncement(client, toDraft(item)).catch((error: unknown) =>
      toastError(error instanceof Error ? error.message : ''),
    );
  };
  const end = useMutation({
    mutationFn: () => endAnnouncement(client, item.id),
    onSuccess: () =>
      toast(item.question === null ? t`Announcement ended` : t`Question unpinned`, {
        label: t`Undo`,
        run: restore,
      }),
    onError: (error) => toastError(error.message),
  });
  // The list is read again.
  if (end.isSuccess) return null;
  return (
    <li className={classes.card} tabIndex={-1} data-shortcut-stop>
      <div className={classes.head}>
        <AnnouncementText item={item} />
      </div>
      <div className={classes.head}>
        {item.tag === null ? (
          <span className={classes.quiet}>{t`Home page`}</span>
        ) : (
          <Link href={tagPath(item.tag)} dir="auto">
            {item.tag}
          </Link>
        )}
        <span className={classes.quiet}>
          {item.until === null ? t`No end` : t`Until ${formatDateTime(item.until)}`}
        </span>
      </div>
      <div className={classes.buttons}>
        <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
          {item.question === null ? t`End` : t`Unpin`}
        </Button>
      </div>
    </li>
  );
}
