import { plural, t } from '@lingui/core/macro';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuestionPage } from './questions/question-page-context.ts';
import classes from './RepliesToggle.module.css';
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
    <button
      type="button"
      className={classes.toggle}
      data-shortcut-key="c"
      data-shortcut-post={branch}
      aria-expanded={!closed}
      aria-controls={repliesElementId(branch)}
      onClick={() => branches.toggle(branch)}
    >
      <IconChevronDown size={15} stroke={1.8} aria-hidden="true" />
      {closed ? showRepliesLabel(count) : hideRepliesLabel(count)}
    </button>
  );
}

function showRepliesLabel(count: number | null): string {
  return count === null ? t`Show replies` : plural(count, { one: 'Show # reply', other: 'Show # replies' });
}

function hideRepliesLabel(count: number | null): string {
  return count === null ? t`Hide replies` : plural(count, { one: 'Hide # reply', other: 'Hide # replies' });
}
