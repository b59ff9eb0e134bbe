import { t } from '@lingui/core/macro';
import { Menu } from '#web/ui/mantine/Menu.tsx';
import { IconFlag, IconPencil, IconPin, IconShield } from '@tabler/icons-react';
import { type ReactNode, Suspense, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { abilitiesQuery, postActionStyles as classes, useQuestionPage } from '#web/posts/index.ts';
import { canModerate } from '#shared/identity/roles.ts';
import type { PostRef } from '#shared/core/fields.ts';
import type { PostAction } from '#shared/moderation/moderation.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { visitor } from '#web/core/session.ts';
import { askToSignIn } from '#web/core/sign-in-prompt.ts';

const ReportDialog = lazyComponent(() => import('./ReportDialog.tsx'));
const PinQuestionDialog = lazyComponent(() => import('./PinQuestionDialog.tsx'));
const ModeratePostDialog = lazyComponent(() => import('./ModeratePostDialog.tsx'));

/** Without a connection, a query tries until there is one. The menu opens without what it adds. */
export const isFirstAttempt = (query: { isLoading: boolean; failureCount: number }) =>
  query.isLoading && query.failureCount === 0;

/**
 * The menu items for reporting and moderating a post, and the dialogs they open. The menu opens when they are loaded:
 * an item that appears later would take the place of the one with the focus.
 */
export function usePostModeration(
  post: PostRef,
  {
    own,
    actions,
    tags,
    opener,
    onSuggest,
  }: {
    own: boolean;
    actions: readonly PostAction[];
    /** The tags of a question, which can be pinned. */
    tags?: readonly string[];
    /** The button of the menu. */
    opener: () => HTMLElement | null;
    /** Opens the form that suggests an edit. */
    onSuggest: () => void;
  },
) {
  const { member, isLocked } = useQuestionPage();
  const isVisitor = member === visitor;
  const query = useQuery({ ...abilitiesQuery, enabled: !isVisitor && !own });
  const abilities = query.data;
  const suggests = !own && !isLocked && (isVisitor || abilities?.suggestEdits === true);
  const [opened, setOpened] = useState<'report' | 'moderate' | 'pin' | null>(null);
  const close = () => setOpened(null);
  const askForReport = () => askToSignIn('report', opener() ?? document.body);
  const items: ReactNode = (
    <>
      {suggests && (
        <Menu.Item
          className={classes.menuItem ?? ''}
          leftSection={<IconPencil size={18} stroke={1.6} aria-hidden />}
          onClick={() => (isVisitor ? askToSignIn('act', opener() ?? document.body) : onSuggest())}
        >
          {abilities?.editDirectly === true ? t`Edit` : t`Suggest edit`}
        </Menu.Item>
      )}
      {!own && (
        <Menu.Item
          className={classes.menuItem ?? ''}
          leftSection={<IconFlag size={18} stroke={1.6} aria-hidden />}
          onClick={() => (member === visitor ? askForReport() : setOpened('report'))}
        >
          {t`Report`}
        </Menu.Item>
      )}
      {canModerate(member.role) && (
        <Menu.Item
          className={classes.menuItem ?? ''}
          leftSection={<IconShield size={18} stroke={1.6} aria-hidden />}
          onClick={() => setOpened('moderate')}
        >
          {t`Moderate post`}
        </Menu.Item>
      )}
      {canModerate(member.role) && tags !== undefined && (
        <Menu.Item
          className={classes.menuItem ?? ''}
          leftSection={<IconPin size={18} stroke={1.6} aria-hidden />}
          onClick={() => setOpened('pin')}
        >
          {t`Pin question`}
        </Menu.Item>
      )}
    </>
  );
  const dialogs: ReactNode = opened !== null && (
    <Suspense>
      {opened === 'report' && <ReportDialog post={post} opener={opener} onClose={close} />}
      {opened === 'pin' && (
        <PinQuestionDialog question={{ id: post.id, tags: tags ?? [] }} opener={opener} onClose={close} />
      )}
      {opened === 'moderate' && (
        <ModeratePostDialog post={post} actions={actions} opener={opener} onClose={close} />
      )}
    </Suspense>
  );
  return { items, dialogs, isLoading: isFirstAttempt(query) };
}
