import { t } from '@lingui/core/macro';
import { Menu, menuPortal } from '#web/ui/mantine/Menu.tsx';
import { IconBell, IconBellOff, IconLink, IconPrinter, type TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { PostAction } from '#shared/moderation/moderation.ts';
import type { Question } from '#shared/posts/questions.ts';
import { useCloseVote } from '#web/moderation/useCloseVote.tsx';
import { usePostModeration } from '#web/moderation/usePostModeration.tsx';
import { useMuteQuestion } from '#web/engagement/MuteQuestionButton.tsx';
import { questionPath } from '#shared/posts/question-paths.ts';
import { visitor } from '#web/core/session.ts';
import { askToSignIn } from '#web/core/sign-in-prompt.ts';
import { useQuestionPage } from '#web/posts/questions/question-page-context.ts';
import type { OpenMenu } from '#web/posts/MoreActions.tsx';
import { copyLink } from '#web/posts/ShareButton.tsx';
import { ExternalTarget, useOpenAfterMount } from '#web/ui/lazy-popover.tsx';
import classes from '#web/posts/PostActions.module.css';

/** The contents of `QuestionMenu`. Loaded when the menu is first opened. */
export default function QuestionMenuList({
  question,
  own,
  onSuggest,
  button,
  opened,
  onClose,
}: { question: Question; own: boolean; onSuggest: () => void } & OpenMenu) {
  const mute = useMuteQuestion();
  const { member } = useQuestionPage();
  const closing = useCloseVote(question.id, () => button);
  const moderation = usePostModeration(
    { kind: 'question', id: question.id },
    { own, actions: listPostActions(question), tags: question.tags, opener: () => button, onSuggest },
  );
  return (
    <>
      <Menu
        position="bottom-end"
        width={216}
        opened={useOpenAfterMount(opened && !moderation.isLoading && !closing.isLoading)}
        onClose={onClose}
        portalProps={menuPortal}
      >
        <Menu.Target>
          <ExternalTarget button={button} />
        </Menu.Target>
        <Menu.Dropdown className={classes.menu ?? ''} aria-label={t`More actions`}>
          <QuestionMenuItem
            Icon={question.muted ? IconBell : IconBellOff}
            onPress={() => {
              if (member === visitor) askToSignIn('act', button);
              else if (!mute.isPending) mute.mutate(!question.muted);
            }}
          >
            {question.muted ? t`Unmute` : t`Mute`}
          </QuestionMenuItem>
          <QuestionMenuItem
            Icon={IconLink}
            onPress={() => void copyLink(questionPath(question.id, question.title))}
          >
            {t`Copy link`}
          </QuestionMenuItem>
          <QuestionMenuItem Icon={IconPrinter} onPress={() => window.print()}>
            {t`Print`}
          </QuestionMenuItem>
          {moderation.items}
          {closing.item}
        </Menu.Dropdown>
      </Menu>
      {moderation.dialogs}
      {closing.dialog}
    </>
  );
}

function listPostActions({ lockReason, duplicateOf }: Question): PostAction[] {
  return [
    'hide',
    'delete',
    'spam',
    lockReason === null ? 'lock' : 'unlock',
    duplicateOf === null ? 'duplicate' : 'not_duplicate',
  ];
}

function QuestionMenuItem({
  Icon,
  onPress,
  children,
}: {
  Icon: TablerIcon;
  onPress: () => void;
  children: ReactNode;
}) {
  return (
    <Menu.Item
      className={classes.menuItem ?? ''}
      leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
      onClick={onPress}
    >
      {children}
    </Menu.Item>
  );
}
