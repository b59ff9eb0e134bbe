import { t } from '@lingui/core/macro';
import { Modal } from '#web/ui/mantine/Modal.tsx';
import { useId } from 'react';
import {
  getModKeyLabel,
  listShortcuts,
  type Shortcut,
  useSingleKeySetting,
} from '#web/core/keyboard-settings.ts';
import type { ShortcutName } from '#web/core/keyboard-shortcuts.ts';
import { paths } from '#web/core/paths.ts';
import { canModerate } from '#shared/identity/roles.ts';
import { useRootAttribute } from '#web/core/root-attribute.ts';
import { useMember } from '#web/core/session.ts';
import { Link } from '#web/ui/Link.tsx';
import classes from './ShortcutSheet.module.css';

const groups = [
  ['everywhere', () => t`Everywhere`],
  ['lists', () => t`In lists: questions, results, topics, notifications`],
  ['posts', () => t`On a question, for the focused post`],
  ['review', () => t`In suggested edits and the review queue`],
  ['writing', () => t`In the editor`],
] as const;

/** What the shortcuts do. The first script of a page contains only their keys. */
const descriptions: Readonly<Record<ShortcutName, () => string>> = {
  palette: () => t`Search or run a command`,
  search: () => t`Search`,
  ask: () => t`Ask a question`,
  home: () => t`Go to Home`,
  topics: () => t`Go to Topics`,
  following: () => t`Go to Following`,
  notifications: () => t`Go to Notifications`,
  profile: () => t`Go to Your Profile`,
  sheet: () => t`Show keyboard shortcuts`,
  close: () => t`Close menu or dialog`,
  next: () => t`Next`,
  previous: () => t`Previous`,
  open: () => t`Open`,
  upvote: () => t`Upvote`,
  downvote: () => t`Downvote`,
  reply: () => t`Reply`,
  edit: () => t`Edit`,
  fold: () => t`Show or hide replies`,
  bookmark: () => t`Bookmark`,
  approve: () => t`Approve, or dismiss reports`,
  reject: () => t`Reject or hide`,
  deletePost: () => t`Delete`,
  deleteSpam: () => t`Delete as spam`,
  post: () => t`Submit`,
  bold: () => t`Bold`,
  italic: () => t`Italic`,
  link: () => t`Link`,
};

export default function ShortcutSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [singleKeys] = useSingleKeySetting();
  useRootAttribute('data-dialog', opened);
  const member = useMember();
  const isModerator = member !== null && canModerate(member.role);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="46rem"
      title={t`Keyboard shortcuts`}
      closeButtonProps={{ 'aria-label': t`Close` }}
      // A header in a dialog is not the banner of the page.
      attributes={{ header: { role: 'none' } }}
      lockScroll={false}
      classNames={{ title: classes.title ?? '', content: classes.content ?? '', close: classes.close ?? '' }}
    >
      <p className={classes.note}>
        {singleKeys
          ? t`Shortcuts work when you are not typing in a field.`
          : t`Single-key shortcuts are turned off in this browser.`}{' '}
        <Link href={`${paths.settings}#keyboard`} onClick={onClose}>{t`Keyboard settings`}</Link>
      </p>
      <div className={classes.groups}>
        {groups.map(([group, title]) => (
          <Group
            key={group}
            title={title()}
            shortcuts={[
              ...listShortcuts(group),
              ...(group === 'review' && isModerator ? listShortcuts('moderation') : []),
            ]}
          />
        ))}
      </div>
    </Modal>
  );
}

function Group({ title, shortcuts }: { title: string; shortcuts: readonly Shortcut[] }) {
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className={classes.group}>
      <h3 id={titleId} className={classes.groupTitle}>
        {title}
      </h3>
      <dl className={classes.list}>
        {shortcuts.map(({ name, keys }) => (
          <div key={name} className={classes.shortcut}>
            <dt>
              {keys.split(/[,+]/u).map((key) => (
                <kbd key={key}>{key === 'Mod' ? getModKeyLabel() : key}</kbd>
              ))}
            </dt>
            <dd>{descriptions[name]()}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
