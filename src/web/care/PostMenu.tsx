import { t } from '@lingui/core/macro';
import { Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { useQuestionPage } from '#web/posts/page-context.ts';
import type { PostRef } from '#web/posts/post.ts';
import classes from '#web/posts/PostActions.module.css';
import { ExternalTarget, useOpenAfterMount } from '#web/ui/floating.tsx';
import { usePostModeration } from './PostCare.tsx';

/**
 * 'More actions' of an answer or reply. A thread has hundreds of them: until it is pressed, a button is all there is. The
 * button stays the same one, so that it gets the focus back.
 */
export function PostMenu({ post, own }: { post: PostRef; own: boolean }) {
  const { member } = useQuestionPage();
  const [button, setButton] = useState<HTMLElement | null>(null);
  const [opened, setOpened] = useState(false);
  if (own && member.role !== 'operator') return null;
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
      >
        <IconDots size={18} stroke={1.8} aria-hidden="true" />
      </button>
      {button !== null && (
        <OpenPostMenu
          post={post}
          own={own}
          button={button}
          opened={opened}
          onClose={() => setOpened(false)}
        />
      )}
    </>
  );
}

function OpenPostMenu({
  post,
  own,
  button,
  opened,
  onClose,
}: {
  post: PostRef;
  own: boolean;
  button: HTMLElement;
  opened: boolean;
  onClose: () => void;
}) {
  const { items, dialogs } = usePostModeration(post, {
    own,
    actions: ['hide', 'delete', 'lock'],
    opener: () => button,
  });
  return (
    <>
      <Menu position="bottom-end" width={216} opened={useOpenAfterMount(opened)} onClose={onClose}>
        <Menu.Target>
          <ExternalTarget button={button} />
        </Menu.Target>
        <Menu.Dropdown className={classes.menu ?? ''} aria-label={t`More actions`}>
          {items}
        </Menu.Dropdown>
      </Menu>
      {dialogs}
    </>
  );
}
