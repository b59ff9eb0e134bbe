import { t } from '@lingui/core/macro';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useRouter } from '#web/core/router.ts';
import { Suspense, useState } from 'react';
import {
  maxReviewCount,
  type PostAction,
  type ReviewCause,
  reviewCause,
  type ReviewItem,
} from '#shared/moderation/moderation.ts';
import { moderationKeys, reviewCountsQuery, reviewQueueQuery } from './moderation.ts';
import { causeLabels } from './moderation-messages.ts';
import { ModerationMenu } from './ModerationMenu.tsx';
import { getAcceptingAction, ReviewQueueCard } from './ReviewQueueCard.tsx';
import { TagProposalCard } from './TagProposalCard.tsx';
import type { TagDecision } from './TagProposalDialog.tsx';
import { useReviewClaim } from './useReviewClaim.ts';
import classes from './moderation.module.css';
import type { Me } from '#shared/identity/accounts.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { useLive } from '#web/core/live.ts';
import { paths, parseSearch } from '#web/core/paths.ts';
import { useShortcuts } from '#web/core/keyboard-shortcuts.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import pageClasses from '#web/ui/page.module.css';

const ModeratePostDialog = lazyComponent(() => import('./ModeratePostDialog.tsx'));
const TagProposalDialog = lazyComponent(() => import('./TagProposalDialog.tsx'));

/** The dialog of a post, or of a proposed tag. */
type OpenDialog = { item: ReviewItem; takeOver: boolean } & (
  | { actions: readonly PostAction[] }
  | { decision: TagDecision }
);

/** The posts that wait for a moderator, for moderators. */
export function ModerationQueuePage({ member: { id: memberId } }: { member: Me }) {
  usePageTitle(t`Review queue`);
  const client = useQueryClient();
  const router = useRouter();
  const search = parseSearch(useLocation().search);
  const cause = reviewCause.safeParse(search['cause']).data ?? null;
  const query = useInfiniteQuery(reviewQueueQuery(cause));
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const refresh = () => void client.invalidateQueries({ queryKey: moderationKeys.queue });
  const findItem = (id: number) =>
    query.data?.pages.flatMap((page) => page.items).find((item) => item.id === id);
  const act = (action: (item: ReviewItem) => PostAction, decision: TagDecision | null = null) => {
    const focused = document.activeElement?.closest<HTMLElement>('[data-review-item]')?.dataset['reviewItem'];
    const item = findItem(Number(focused));
    if (item === undefined || getOtherClaim(item, memberId) !== null) return;
    if (item.tagProposal === null) setOpenDialog({ item, actions: [action(item)], takeOver: false });
    else if (decision !== null) setOpenDialog({ item, decision, takeOver: false });
  };
  useShortcuts({
    approve: () => act(getAcceptingAction, 'approve'),
    reject: () => act((item) => orDecline(item, 'hide'), 'reject'),
    deletePost: () => act((item) => orDecline(item, 'delete')),
    deleteSpam: () => act((item) => orDecline(item, 'spam')),
  });
  const { refusal, endClaim } = useReviewClaim(
    openDialog === null ? null : { id: openDialog.item.id, takeOver: openDialog.takeOver },
  );
  useLive('moderation', { onEvents: refresh, onMissed: refresh });
  const card = (item: ReviewItem) => {
    const claimedBy = getOtherClaim(item, memberId);
    const takeOver = claimedBy !== null;
    if (item.tagProposal !== null)
      return (
        <TagProposalCard
          item={item}
          proposal={item.tagProposal}
          claimedBy={claimedBy}
          onAct={(decision) => setOpenDialog({ item, decision, takeOver })}
        />
      );
    return (
      <ReviewQueueCard
        item={item}
        claimedBy={claimedBy}
        onAct={(action) =>
          setOpenDialog({ item, actions: action === null ? listActions(item) : [action], takeOver })
        }
      />
    );
  };
  return (
    <>
      <div className={pageClasses.header}>
        <PageHeading className={pageClasses.heading}>{t`Review queue`}</PageHeading>
        <div className={pageClasses.buttons}>
          <ModerationMenu />
        </div>
      </div>
      <div className={classes.filter}>
        <SelectField
          label={t`Show`}
          short
          options={useCauses()}
          value={cause ?? 'all'}
          onChange={(chosen) =>
            void router.navigate(paths.moderation + (chosen === 'all' ? '' : `?cause=${chosen}`), {
              resetScroll: false,
            })
          }
        />
      </div>
      <PagedList
        key={cause}
        query={query}
        noun="results"
        keyOf={(item) => item.id}
        pending={null}
        empty={
          <EmptyState
            title={t`Nothing to review`}
            text={t`Reported posts, posts of new members, objections and proposed topics show up here.`}
          />
        }
      >
        {(items) => (
          <>
            <p className={classes.keys}>
              {t`Press j or k to move between posts, a to approve one, r to reject or hide it, x to delete it and s to delete it as spam.`}
            </p>
            <ul className={classes.list}>
              {items.map((item) => (
                <li key={item.id}>{card(item)}</li>
              ))}
            </ul>
          </>
        )}
      </PagedList>
      {openDialog !== null && (
        <Suspense>
          {'actions' in openDialog ? (
            <ModeratePostDialog
              post={{ kind: openDialog.item.kind, id: openDialog.item.postId }}
              actions={openDialog.actions}
              queueItem={findItem(openDialog.item.id) ?? openDialog.item}
              refusal={refusal}
              onActed={endClaim}
              onClose={() => setOpenDialog(null)}
            />
          ) : (
            openDialog.item.tagProposal !== null && (
              <TagProposalDialog
                proposal={openDialog.item.tagProposal}
                decision={openDialog.decision}
                refusal={refusal}
                onDecided={endClaim}
                onClose={() => setOpenDialog(null)}
              />
            )
          )}
        </Suspense>
      )}
    </>
  );
}

/** The causes with the number of posts that wait for them. Tabs would not fit on one line. */
function useCauses(): readonly (readonly [ReviewCause | 'all', string])[] {
  const counts = useQuery(reviewCountsQuery).data;
  const withCount = (label: string, count: number | undefined) => {
    if (count === undefined || count === 0) return label;
    const shown = count === maxReviewCount ? `${maxReviewCount}+` : String(count);
    return `${label} (${shown})`;
  };
  return [
    ['all', withCount(t`All`, counts?.open)],
    ...reviewCause.options.map(
      (cause) =>
        [
          cause,
          withCount(causeLabels[cause](), counts?.causes.find((each) => each.cause === cause)?.count),
        ] as const,
    ),
  ];
}

/** The name of another moderator who works on the post, null if no one does. */
const getOtherClaim = ({ claim }: ReviewItem, memberId: number): string | null =>
  claim === null || claim.memberId === memberId ? null : claim.name;

/** The action instead for a post that others do not see anyway. */
function orDecline({ cause, held }: ReviewItem, action: PostAction): PostAction {
  if (cause === 'objection') return 'decline_objection';
  return held && action !== 'spam' ? 'reject' : action;
}

function listActions(item: ReviewItem): PostAction[] {
  if (item.cause === 'objection') return ['restore', 'decline_objection'];
  // The first is preset: the others have buttons of their own in the queue.
  if (item.held) return ['spam', 'reject', 'approve'];
  return [
    item.locked ? 'unlock' : 'lock',
    ...(item.kind === 'question' ? (['duplicate'] as const) : []),
    'delete',
    'spam',
    'hide',
    getAcceptingAction(item),
  ];
}
