import { plural, t } from '@lingui/core/macro';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuestionPage } from './questions/question-page-context.ts';
import classes from './RepliesToggle.module.css';
import { anchorOf } from './post-ref.ts';
import { repliesElementId } from './reply-tree.ts';

/**
 * Collapses and expands the replies below a post.
 * @param branch the post's anchor.
 * @param count the number of replies; null if not all are loaded.
 */
export function RepliesToggle({ branch, count }: { branch: string; count: number | null }) {
  const { branches } = useQuestionPage();
  if (count === 0) return null;
  const closed = branches.isCollapsed(branch);
  return (
    <BranchToggle branch={branch}>{closed ? showRepliesLabel(count) : hideRepliesLabel(count)}</BranchToggle>
  );
}

/**
 * Shows and hides the comments on the question after the first ones.
 * @param count the number of these comments; null if not all are loaded.
 */
export function FurtherCommentsToggle({ count }: { count: number | null }) {
  const { questionId, branches } = useQuestionPage();
  const branch = anchorOf({ kind: 'question', id: questionId });
  const closed = branches.isCollapsed(branch);
  return (
    <BranchToggle branch={branch}>
      {closed ? showCommentsLabel(count) : hideCommentsLabel(count)}
    </BranchToggle>
  );
}

function BranchToggle({ branch, children }: { branch: string; children: string }) {
  const { branches } = useQuestionPage();
  return (
    <button
      type="button"
      className={classes.toggle}
      data-shortcut-key="c"
      data-shortcut-post={branch}
      aria-expanded={!branches.isCollapsed(branch)}
      aria-controls={repliesElementId(branch)}
      onClick={() => branches.toggle(branch)}
    >
      <IconChevronDown size={15} stroke={1.8} aria-hidden="true" />
      {children}
    </button>
  );
}

function showRepliesLabel(count: number | null): string {
  return count === null ? t`Show replies` : plural(count, { one: 'Show # reply', other: 'Show # replies' });
}

function hideRepliesLabel(count: number | null): string {
  return count === null ? t`Hide replies` : plural(count, { one: 'Hide # reply', other: 'Hide # replies' });
}

function showCommentsLabel(count: number | null): string {
  return count === null
    ? t`Show more comments`
    : plural(count, { one: 'Show # more comment', other: 'Show # more comments' });
}

function hideCommentsLabel(count: number | null): string {
  return count === null
    ? t`Hide comments`
    : plural(count, { one: 'Hide # comment', other: 'Hide # comments' });
}
