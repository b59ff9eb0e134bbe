import { t } from '@lingui/core/macro';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { canModerate } from '#shared/identity/roles.ts';
import type { ReportedPost, PostAction } from '#shared/moderation/moderation.ts';
import { moderationKeys, reviewQueueQuery } from './moderation.ts';
import { ReviewQueueCard } from './ReviewQueueCard.tsx';
import classes from './moderation.module.css';
import { lazyComponent } from '#web/core/lazy.ts';
import { useLive } from '#web/core/live.ts';
import { paths } from '#web/core/paths.ts';
import { useMember } from '#web/core/session.ts';
import { useShortcuts } from '#web/core/keyboard-shortcuts.ts';
import { ButtonLink } from '#web/ui/PathLink.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { NotFoundPage } from '#web/ui/MessagePage.tsx';
import pageClasses from '#web/ui/page.module.css';

const ModeratePostDialog = lazyComponent(() => import('./ModeratePostDialog.tsx'));

/** Reported posts, for moderators. Others get the not-found page. */
export function ModerationQueuePage() {
  const member = useMember();
  if (member === null) return null;
  return canModerate(member.role) ? <Queue /> : <NotFoundPage />;
}

type OpenDialog = { post: ReportedPost; actions: readonly PostAction[] };

function Queue() {
  usePageTitle(t`Review queue`);
  const client = useQueryClient();
  const query = useInfiniteQuery(reviewQueueQuery);
  const [openDialog, setDoing] = useState<OpenDialog | null>(null);
  const refresh = () => void client.invalidateQueries({ queryKey: moderationKeys.queue });
  const act = (action: PostAction) => {
    const focused = document.activeElement?.closest<HTMLElement>('[data-reported]')?.dataset['reported'];
    const post = query.data?.pages.flatMap((page) => page.items).find(({ id }) => String(id) === focused);
    if (post !== undefined) setDoing({ post, actions: [action] });
  };
  useShortcuts({
    dismissReports: () => act('dismiss'),
    hidePost: () => act('hide'),
    deletePost: () => act('delete'),
  });
  useLive('moderation', { onEvents: refresh, onMissed: refresh });
  return (
    <>
      <div className={pageClasses.header}>
        <PageHeading className={pageClasses.heading}>{t`Review queue`}</PageHeading>
        <div className={pageClasses.buttons}>
          <ButtonLink href={paths.registrations}>{t`Recent registrations`}</ButtonLink>
          <ButtonLink href={paths.moderationLog}>{t`Moderation log`}</ButtonLink>
          <ButtonLink href={paths.statistics}>{t`Statistics`}</ButtonLink>
        </div>
      </div>
      <p className={classes.keys}>
        {t`Press j or k to move between posts, m to dismiss reports, h to hide a post and x to delete it.`}
      </p>
      <PagedList
        query={query}
        noun="results"
        keyOf={(post) => post.id}
        pending={null}
        empty={
          <EmptyState title={t`No reports to review`} text={t`Posts that members report show up here.`} />
        }
      >
        {(posts) => (
          <ul className={classes.list}>
            {posts.map((post) => (
              <li key={post.id}>
                <ReviewQueueCard
                  post={post}
                  onAct={(action) =>
                    setDoing({ post, actions: action === null ? listActions(post) : [action] })
                  }
                />
              </li>
            ))}
          </ul>
        )}
      </PagedList>
      {openDialog !== null && (
        <Suspense>
          <ModeratePostDialog
            post={{ kind: openDialog.post.kind, id: openDialog.post.postId }}
            actions={openDialog.actions}
            queueItemId={openDialog.post.id}
            onClose={() => setDoing(null)}
          />
        </Suspense>
      )}
    </>
  );
}

function listActions({ kind, locked }: ReportedPost): PostAction[] {
  return [
    'hide',
    'delete',
    'dismiss',
    locked ? 'unlock' : 'lock',
    ...(kind === 'question' ? (['duplicate'] as const) : []),
  ];
}
