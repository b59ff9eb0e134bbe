import { t } from '@lingui/core/macro';
import { Menu } from '@mantine/core';
import { IconDots, IconFlag, IconShield } from '@tabler/icons-react';
import { type ReactNode, Suspense, useState } from 'react';
import { postActionStyles as classes, useQuestionPage } from '#web/posts/index.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { ExternalTarget, useOpenAfterMount } from '#web/ui/lazy-popover.tsx';
import type { PostAction } from '#shared/moderation/moderation.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { visitor } from '#web/core/session.ts';
import { askToSignIn } from '#web/core/sign-in-prompt.ts';

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

const ReportDialog = lazyComponent(() => import('./ReportDialog.tsx'));
const ModeratePostDialog = lazyComponent(() => import('./ModeratePostDialog.tsx'));

/** The menu items for reporting and moderating a post, and the dialogs they open. */
export function usePostModeration(
  post: PostRef,
  {
    own,
    actions,
    opener,
  }: {
    own: boolean;
    actions: readonly PostAction[];
    /** The button of the menu. */
    opener: () => HTMLElement | null;
  },
) {
  const { member } = useQuestionPage();
  const [opened, setOpened] = useState<'report' | 'moderate' | null>(null);
  const close = () => setOpened(null);
  const askForReport = () => askToSignIn('report', opener() ?? document.body);
  const items: ReactNode = (
    <>
      {!own && (
        <Menu.Item
          className={classes.menuItem ?? ''}
          leftSection={<IconFlag size={18} stroke={1.6} aria-hidden />}
          onClick={() => (member === visitor ? askForReport() : setOpened('report'))}
        >
          {t`Report`}
        </Menu.Item>
      )}
      {member.role === 'moderator' && (
        <Menu.Item
          className={classes.menuItem ?? ''}
          leftSection={<IconShield size={18} stroke={1.6} aria-hidden />}
          onClick={() => setOpened('moderate')}
        >
          {t`Moderate post`}
        </Menu.Item>
      )}
    </>
  );
  const dialogs: ReactNode = opened !== null && (
    <Suspense>
      {opened === 'report' ? (
        <ReportDialog post={post} opener={opener} onClose={close} />
      ) : (
        <ModeratePostDialog post={post} actions={actions} opener={opener} onClose={close} />
      )}
    </Suspense>
  );
  return { items, dialogs };
}
