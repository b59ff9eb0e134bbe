import { t } from '@lingui/core/macro';
import {
  IconArrowBigDown,
  IconArrowBigDownFilled,
  IconArrowBigUp,
  IconArrowBigUpFilled,
} from '@tabler/icons-react';
import { VisuallyHidden } from '#web/ui/VisuallyHidden.tsx';
import { useMutation } from '@tanstack/react-query';
import { formatCount, formatShortCount } from '#web/core/format.ts';
import type { VoteDirection, PostRef } from '#shared/core/fields.ts';
import type { VoteState } from '#shared/engagement/votes.ts';
import { logFailureAndToastRefusal } from '#web/core/errors.ts';
import { sendOrQueue } from '#web/core/send-or-queue.ts';
import { useMember } from '#web/core/session.ts';
import { patchPost, setVote, useQuestionCache } from '#web/posts/index.ts';
import { QueuedMark } from '#web/ui/QueuedMark.tsx';
import { toggleVote, applyVote } from './votes.ts';
import { useQueuedVote, voteAction } from './votes-offline.ts';
import classes from './VoteButtons.module.css';

/**
 * The two vote buttons of a post. The change is optimistic and is reverted if the server refuses. While it is saved the
 * buttons do nothing (docs/product.md 7.2) but keep the focus.
 */
export function VoteButtons({
  post,
  questionId,
  votes,
}: {
  post: PostRef;
  questionId: number;
  votes: VoteState;
}) {
  const cache = useQuestionCache(questionId);
  const memberId = useMember()?.id ?? null;
  const queuedVote = useQueuedVote(memberId, post);
  const { upvotes, downvotes, myVote } = queuedVote === undefined ? votes : applyVote(votes, queuedVote);
  const vote = useMutation({
    mutationFn: (next: VoteState) =>
      sendOrQueue(memberId, voteAction({ post, questionId, vote: next.myVote }), (sending) =>
        setVote(post, next.myVote, sending),
      ),
    onMutate: async (next) => {
      const before = { upvotes: votes.upvotes, downvotes: votes.downvotes, myVote: votes.myVote };
      await cache.update((page) => patchPost(page, post, next));
      return before;
    },
    // A queued vote is shown on top of the server's state.
    onSuccess: (state, _next, before) => cache.update((page) => patchPost(page, post, state ?? before)),
    onError: async (error, _next, before) => {
      if (before !== undefined) await cache.update((page) => patchPost(page, post, before));
      // Others may have voted meanwhile.
      void cache.refresh();
      logFailureAndToastRefusal('Voting', error);
    },
  });

  const press = (direction: VoteDirection) => {
    if (!vote.isPending) vote.mutate(toggleVote({ upvotes, downvotes, myVote }, direction));
  };
  return (
    <div className={classes.votes} data-compact={post.kind === 'reply' || undefined}>
      <VoteButton
        direction="up"
        count={upvotes}
        pressed={myVote === 'up'}
        saving={vote.isPending}
        onPress={press}
      />
      <VoteButton
        direction="down"
        count={downvotes}
        pressed={myVote === 'down'}
        saving={vote.isPending}
        onPress={press}
      />
      {queuedVote !== undefined && <QueuedMark className={classes.queued} />}
    </div>
  );
}

const voteIcons = {
  up: { name: () => t`Upvote`, Outline: IconArrowBigUp, Filled: IconArrowBigUpFilled },
  down: { name: () => t`Downvote`, Outline: IconArrowBigDown, Filled: IconArrowBigDownFilled },
} as const;

function VoteButton(props: {
  direction: VoteDirection;
  count: number;
  pressed: boolean;
  saving: boolean;
  onPress: (direction: VoteDirection) => void;
}) {
  const { Outline, Filled, ...icon } = voteIcons[props.direction];
  const name = icon.name();
  const Icon = props.pressed ? Filled : Outline;
  return (
    <button
      type="button"
      className={classes.vote}
      title={props.count > 999 ? formatCount(props.count) : name}
      aria-pressed={props.pressed}
      aria-disabled={props.saving || undefined}
      data-sign-in="vote"
      data-shortcut-key={props.direction === 'up' ? 'u' : 'd'}
      onClick={() => props.onPress(props.direction)}
    >
      <Icon size={18} stroke={1.6} aria-hidden="true" />
      <VisuallyHidden>
        {name} ({props.count})
      </VisuallyHidden>
      <span key={props.count} className={classes.count} aria-hidden="true">
        {formatShortCount(props.count)}
      </span>
    </button>
  );
}
