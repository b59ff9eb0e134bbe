import { t } from '@lingui/core/macro';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useQuestionPage } from './questions/question-page-context.ts';
import { PostAction } from './PostActions.tsx';
import { isSamePost, type PostRef } from './post-ref.ts';

/** Opens the form for a reply to a post, or closes it. */
export function ReplyButton({ to }: { to: PostRef }) {
  const { replyingTo, setReplyingTo, isLocked } = useQuestionPage();
  const replying = isSamePost(replyingTo, to);
  if (isLocked) return null;
  return (
    <PostAction
      label={t`Reply`}
      Icon={IconArrowBackUp}
      yields
      shortcut="r"
      active={replying}
      onPress={() => setReplyingTo(replying ? null : to)}
    />
  );
}
