import { t } from '@lingui/core/macro';
import { IconDots } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { postActionStyles as classes, useQuestionPage } from '#web/posts/index.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { preloadOnIntent } from '#web/ui/lazy-popover.tsx';
import { lazyComponent } from '#web/core/lazy.ts';

const load = () => import('./PostMenuList.tsx');
const PostMenuList = lazyComponent(load);
const intent = preloadOnIntent(load);

/**
 * 'More actions' of an answer or reply. A thread can have hundreds, so only the button is rendered until it is pressed.
 * It stays the same element, so that the focus can return to it.
 */
export function PostMenu({ post, own }: { post: PostRef; own: boolean }) {
  const { member } = useQuestionPage();
  const [button, setButton] = useState<HTMLElement | null>(null);
  const [opened, setOpened] = useState(false);
  if (own && member.role !== 'moderator') return null;
  return (
    <>
      <button
        type="button"
        className={`${classes.action} ${classes.more}`}
        aria-label={t`More actions`}
        title={t`More actions`}
        aria-haspopup="menu"
        aria-expanded={opened}
        onClick={({ currentTarget }) => {
          setButton(currentTarget);
          setOpened(!opened);
        }}
        {...intent}
      >
        <IconDots size={18} stroke={1.8} aria-hidden="true" />
      </button>
      {button !== null && (
        <Suspense>
          <PostMenuList
            post={post}
            own={own}
            button={button}
            opened={opened}
            onClose={() => setOpened(false)}
          />
        </Suspense>
      )}
    </>
  );
}
