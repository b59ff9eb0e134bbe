import { t } from '@lingui/core/macro';
import { IconLink } from '@tabler/icons-react';
import { toast, toastError } from '#web/core/toast.ts';
import { copyText } from '#web/ui/copy-text.ts';
import { PostAction } from './PostActions.tsx';
import { anchorOf } from './post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';

/** Copies the link of one post. The date of a post has the same link. */
export function CopyLinkButton({ post }: { post: PostRef }) {
  return (
    <PostAction
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
