import { t } from '@lingui/core/macro';
import {
  IconArrowBigDown,
  IconArrowBigDownFilled,
  IconArrowBigUp,
  IconArrowBigUpFilled,
} from '@tabler/icons-react';
import { VisuallyHidden } from '#web/ui/VisuallyHidden.tsx';
import { useMutation } from '@tanstack/react-query';
import { type MouseEvent, useRef, useState } from 'react';
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
 * buttons do nothing but keep the focus, and keys choose the vote that is sent next (docs/product.md 7.2).
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
  // Null while no vote is being sent.
  const latest = useRef<VoteState | null>(null);
  // Shown meanwhile on top of the votes of others: a fetch can bring the vote of before.
  const [chosen, setChosen] = useState<VoteState | null>(null);
  const pendingVote = chosen === null ? queuedVote : chosen.myVote;
  const { upvotes, downvotes, myVote } = pendingVote === undefined ? votes : applyVote(votes, pendingVote);
  const send = async (next: VoteState): Promise<VoteState | null> => {
    const sending = sendOrQueue(memberId, voteAction({ post, questionId, vote: next.myVote }), (options) =>
      setVote(post, next.myVote, options),
    );
    await Promise.allSettled([sending]);
    if (latest.current !== null && latest.current !== next) return send(latest.current);
    latest.current = null;
    return sending;
  };
  const vote = useMutation({
    mutationFn: send,
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
    onSettled: () => setChosen(latest.current),
  });

  const press = (direction: VoteDirection, { isTrusted }: MouseEvent) => {
    // A shortcut clicks the button by a script.
    if (vote.isPending && isTrusted) return;
    const next = toggleVote(latest.current ?? { upvotes, downvotes, myVote }, direction);
    const isSending = latest.current !== null;
    latest.current = next;
    setChosen(next);
    if (isSending) void cache.update((page) => patchPost(page, post, next));
    else vote.mutate(next);
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
  onPress: (direction: VoteDirection, event: MouseEvent) => void;
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
      onClick={(event) => props.onPress(props.direction, event)}
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
