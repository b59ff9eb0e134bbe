import {
  IconArrowBigDown,
  IconArrowBigDownFilled,
  IconArrowBigUp,
  IconArrowBigUpFilled,
} from '@tabler/icons-react';
import { VisuallyHidden } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { shortCount } from '#shared/counts.ts';
import type { Direction } from '#shared/fields.ts';
import type { VoteState } from '#shared/votes.ts';
import { logFailureOrSayRefusal } from '#web/platform/log.ts';
import { setVote } from '#web/posts/post-api.ts';
import type { PostRef } from '#web/posts/post.ts';
import { patchPost } from '#web/posts/question-page.ts';
import { useQuestionCache } from '#web/posts/question-query.ts';
import { afterPressing } from './vote.ts';
import classes from './VoteButtons.module.css';

/**
 * The two votes on a post. The choice shows at once and is taken back when the server refuses it; meanwhile the
 * buttons do nothing (SPEC section 4), but keep the focus.
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
  const { upvotes, downvotes, myVote } = votes;
  const vote = useMutation({
    mutationFn: (next: VoteState) => setVote(post, next.myVote),
    onMutate: async (next) => {
      await cache.change((page) => patchPost(page, post, next));
      return { upvotes, downvotes, myVote };
    },
    onSuccess: (state) => cache.change((page) => patchPost(page, post, state)),
    onError: async (error, _next, before) => {
      if (before !== undefined) await cache.change((page) => patchPost(page, post, before));
      logFailureOrSayRefusal('Voting', error);
    },
  });

  const press = (direction: Direction) => {
    if (!vote.isPending) vote.mutate(afterPressing({ upvotes, downvotes, myVote }, direction));
  };
  return (
    <div className={classes.votes}>
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
    </div>
  );
}

const looks = {
  up: { name: 'Upvote', Outline: IconArrowBigUp, Filled: IconArrowBigUpFilled },
  down: { name: 'Downvote', Outline: IconArrowBigDown, Filled: IconArrowBigDownFilled },
} as const;

function VoteButton(props: {
  direction: Direction;
  count: number;
  pressed: boolean;
  saving: boolean;
  onPress: (direction: Direction) => void;
}) {
  const { name, Outline, Filled } = looks[props.direction];
  const Icon = props.pressed ? Filled : Outline;
  return (
    <button
      type="button"
      className={classes.vote}
      title={props.count > 999 ? props.count.toLocaleString('en') : name}
      aria-pressed={props.pressed}
      aria-disabled={props.saving || undefined}
      data-key={props.direction === 'up' ? 'u' : 'd'}
      onClick={() => props.onPress(props.direction)}
    >
      <Icon size={18} stroke={1.6} aria-hidden="true" />
      <VisuallyHidden>
        {name} ({props.count})
      </VisuallyHidden>
      <span key={props.count} className={classes.count} aria-hidden="true">
        {shortCount(props.count)}
      </span>
    </button>
  );
}
