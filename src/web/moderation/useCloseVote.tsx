import { t } from '@lingui/core/macro';
import { Menu } from '#web/ui/mantine/Menu.tsx';
import { IconCopy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import type { CloseVotes } from '#shared/moderation/close-votes.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { visitor } from '#web/core/session.ts';
import { postActionStyles as classes, useQuestionPage } from '#web/posts/index.ts';
import { closeVotesQuery } from './close-votes.ts';
import { isFirstAttempt } from './usePostModeration.tsx';

const CloseVoteDialog = lazyComponent(() => import('./CloseVoteDialog.tsx'));

/** The menu item 'Close (1/3 votes)' of a question for members who may vote, and the dialog that it opens. */
export function useCloseVote(questionId: number, opener: () => HTMLElement | null) {
  const { member, isLocked } = useQuestionPage();
  const query = useQuery({ ...closeVotesQuery(questionId), enabled: member !== visitor });
  const votes = query.data;
  const [opened, setOpened] = useState(false);
  const isShown = votes !== undefined && votes.canVote && !isLocked;
  const item: ReactNode = isShown && (
    <Menu.Item
      className={classes.menuItem ?? ''}
      leftSection={<IconCopy size={18} stroke={1.6} aria-hidden />}
      onClick={() => setOpened(true)}
    >
      {getLabel(votes)}
    </Menu.Item>
  );
  const dialog: ReactNode = opened && votes !== undefined && (
    <Suspense>
      <CloseVoteDialog
        questionId={questionId}
        votes={votes}
        opener={opener}
        onClose={() => setOpened(false)}
      />
    </Suspense>
  );
  return { item, dialog, isLoading: isFirstAttempt(query) };
}

/** 'Close (1/3 votes)': the most votes for one original question, and how many it needs. */
function getLabel({ duplicateOf, originals, reopenVotes, needed }: CloseVotes): string {
  const count = duplicateOf === null ? (originals[0]?.votes ?? 0) : reopenVotes;
  return duplicateOf === null ? t`Close (${count}/${needed} votes)` : t`Reopen (${count}/${needed} votes)`;
}
