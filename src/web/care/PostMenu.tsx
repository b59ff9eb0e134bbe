import { t } from '@lingui/core/macro';
import { Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { useQuestionPage } from '#web/posts/page-context.ts';
import type { PostRef } from '#web/posts/post.ts';
import classes from '#web/posts/PostActions.module.css';
import { usePostCare } from './PostCare.tsx';

/**
 * 'More actions' of an answer or reply. A thread has hundreds of them: until it is wanted, a button is all there is.
 */
export function PostMenu({ post, own }: { post: PostRef; own: boolean }) {
  const { member } = useQuestionPage();
  const [wanted, setWanted] = useState(false);
  if (own && member.role !== 'operator') return null;
  if (wanted) return <OpenMenu post={post} own={own} />;
  return <Dots onClick={() => setWanted(true)} aria-haspopup="menu" />;
}

function OpenMenu({ post, own }: { post: PostRef; own: boolean }) {
  const { items, dialogs } = usePostCare(post, { own, actions: ['hide', 'delete', 'lock'] });
  return (
    <>
      <Menu position="bottom-end" width={216} defaultOpened>
        <Menu.Target>
          <Dots />
        </Menu.Target>
        <Menu.Dropdown className={classes.menu ?? ''}>{items}</Menu.Dropdown>
      </Menu>
      {dialogs}
    </>
  );
}

function Dots(props: React.ComponentProps<'button'>) {
  return (
    <button
      {...props}
      type="button"
      className={`${classes.action} ${classes.more}`}
      aria-label={t`More actions`}
      title={t`More actions`}
    >
      <IconDots size={18} stroke={1.8} aria-hidden="true" />
    </button>
  );
}
