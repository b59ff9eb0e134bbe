import { t } from '@lingui/core/macro';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { ReportedPost, PostAction } from '#shared/moderation/moderation.ts';
import { moderationKeys, reviewQueueQuery } from './moderation.ts';
import { ReviewQueueCard } from './ReviewQueueCard.tsx';
import classes from './moderation.module.css';
import { lazyComponent } from '#web/core/lazy.ts';
import { useLive } from '#web/core/live.ts';
import { paths } from '#web/core/paths.ts';
import { useMember } from '#web/core/session.ts';
import { useShortcuts } from '#web/core/keyboard-shortcuts.ts';
import { usePageTitle } from '#web/core/page-title.ts';
import { ButtonLink } from '#web/ui/ButtonLink.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import { NotFoundPage } from '#web/ui/NotFoundPage.tsx';
import pageClasses from '#web/ui/page.module.css';

const CareDialog = lazyComponent(() => import('./ModeratePostDialog.tsx'));

/** Flagged posts, for operators; nobody else finds a page here. */
export function ModerationQueuePage() {
  const member = useMember();
  if (member === null) return null;
  return member.role === 'operator' ? <Queue /> : <NotFoundPage />;
}

type OpenDialog = { post: ReportedPost; actions: readonly PostAction[] };

function Queue() {
  usePageTitle(t`Flagged posts`);
  const client = useQueryClient();
  const query = useInfiniteQuery(reviewQueueQuery);
  const [openDialog, setDoing] = useState<OpenDialog | null>(null);
  const refresh = () => void client.invalidateQueries({ queryKey: moderationKeys.queue });
  const act = (action: PostAction) => {
    const focused = document.activeElement?.closest<HTMLElement>('[data-flagged]')?.dataset['flagged'];
    const post = query.data?.pages.flatMap((page) => page.items).find(({ id }) => String(id) === focused);
    if (post !== undefined) setDoing({ post, actions: [action] });
  };
  useShortcuts({
    dismissFlags: () => act('dismiss'),
    hidePost: () => act('hide'),
    deletePost: () => act('delete'),
  });
  useLive('care', { onEvents: refresh, onMissed: refresh });
  return (
    <>
      <div className={pageClasses.header}>
        <PageHeading className={pageClasses.heading}>{t`Flagged posts`}</PageHeading>
        <ButtonLink href={paths.registrations}>{t`Recent registrations`}</ButtonLink>
        <ButtonLink href={paths.careLog}>{t`What was done and why`}</ButtonLink>
      </div>
      <p className={classes.keys}>
        {t`j and k step through the posts; on a post, m dismisses its flags, h hides it and x deletes it.`}
      </p>
      <PagedList
        query={query}
        noun="results"
        keyOf={(post) => post.id}
        pending={null}
        empty={<EmptyState title={t`Nothing is flagged`} text={t`What members flag shows up here.`} />}
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
          <CareDialog
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
