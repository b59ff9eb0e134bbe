import { t } from '@lingui/core/macro';
import { IconArrowBackUp } from '@tabler/icons-react';
import type { PostRef } from '#shared/core/fields.ts';
import { PostButton } from './PostActions.tsx';
import { isSamePost } from './post-ref.ts';
import { useQuestionPage } from './questions/question-page-context.ts';
import { useReplying } from './questions/replying-to.tsx';

/** Opens or closes the reply form of a post. */
export function ReplyButton({ to }: { to: PostRef }) {
  const { isLocked } = useQuestionPage();
  const { replyingTo, setReplyingTo } = useReplying();
  const replying = isSamePost(replyingTo, to);
  if (isLocked) return null;
  return (
    <PostButton
      label={t`Reply`}
      Icon={IconArrowBackUp}
      yields
      shortcut="r"
      signIn="reply"
      active={replying}
      onPress={() => setReplyingTo(replying ? null : to)}
    />
  );
}
