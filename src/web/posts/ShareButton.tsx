import { t } from '@lingui/core/macro';
import { IconLink, IconShare2 } from '@tabler/icons-react';
import type { Question } from '#shared/posts/questions.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { truncate } from '#shared/core/text.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { PostButton } from './PostActions.tsx';
import { copyText } from '#web/ui/copy-text.ts';
import { anchorOf } from './post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';

/** docs/product.md 4.7: shares the first 100 characters of the text. */
const shareTextLength = 100;

/** Opens the system's share sheet if there is one; otherwise copies the link. */
export function ShareButton({ question }: { question: Question }) {
  const share = async () => {
    const path = questionPath(question.id, question.title);
    const url = new URL(path, window.location.origin).href;
    const shared = { title: question.title, text: truncate(question.excerpt, shareTextLength), url };
    if (window.matchMedia('(pointer: coarse)').matches && navigator.canShare?.(shared)) {
      // Closing the share sheet without sharing is not an error.
      await navigator.share(shared).catch(() => {});
      return;
    }
    await copyLink(path);
  };
  return <PostButton label={t`Share`} Icon={IconShare2} short minor onPress={() => void share()} />;
}

/** Copies the link of one post. The date of a post has the same link. */
export function CopyLinkButton({ post }: { post: PostRef }) {
  return (
    <PostButton
      label={t`Copy link`}
      Icon={IconLink}
      short
      minor
      onPress={() => void copyLink(`#${anchorOf(post)}`)}
    />
  );
}

/** @param to an address relative to this page. */
export async function copyLink(to: string): Promise<void> {
  const url = new URL(to, window.location.href).href;
  if (await copyText(url)) toast(t`Link copied to clipboard!`);
  else toastError(t`The link could not be copied: ${url}`);
}
