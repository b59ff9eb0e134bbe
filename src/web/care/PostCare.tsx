import { t } from '@lingui/core/macro';
import { Menu } from '@mantine/core';
import { IconFlag, IconShield } from '@tabler/icons-react';
import { Suspense, useState, type ReactNode } from 'react';
import type { PostAction } from '#shared/care.ts';
import { lazyComponent } from '#web/platform/lazy-part.ts';
import { useQuestionPage } from '#web/posts/page-context.ts';
import type { PostRef } from '#web/posts/post.ts';
import classes from '#web/posts/PostActions.module.css';

const ReportDialog = lazyComponent(() => import('./FlagDialog.tsx'));
const ModeratePostDialog = lazyComponent(() => import('./CareDialog.tsx'));

/** What members tell operators of a post, and what operators do: the items for its menu, and what these open. */
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
  const [opened, setOpened] = useState<'flag' | 'care' | null>(null);
  const close = () => setOpened(null);
  const items: ReactNode = (
    <>
      {!own && (
        <Menu.Item
          className={classes.menuItem ?? ''}
          leftSection={<IconFlag size={18} stroke={1.6} aria-hidden />}
          onClick={() => setOpened('flag')}
        >
          {t`Report`}
        </Menu.Item>
      )}
      {member.role === 'operator' && (
        <Menu.Item
          className={classes.menuItem ?? ''}
          leftSection={<IconShield size={18} stroke={1.6} aria-hidden />}
          onClick={() => setOpened('care')}
        >
          {t`Moderate post`}
        </Menu.Item>
      )}
    </>
  );
  const dialogs: ReactNode = opened !== null && (
    <Suspense>
      {opened === 'flag' ? (
        <ReportDialog post={post} opener={opener} onClose={close} />
      ) : (
        <ModeratePostDialog post={post} actions={actions} opener={opener} onClose={close} />
      )}
    </Suspense>
  );
  return { items, dialogs };
}
