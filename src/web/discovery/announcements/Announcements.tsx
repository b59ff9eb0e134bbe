import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import type { Announcement } from '#shared/moderation/announcements.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { Link } from '#web/ui/Link.tsx';
import { useMinute } from '#web/ui/Time.tsx';
import { announcementsQuery } from './announcements.ts';
import classes from './Announcements.module.css';

/**
 * Announcements and pinned questions above a list of questions.
 * @param tag the tag whose page this is; null for the home page
 */
export function Announcements({ tag }: { tag: string | null }) {
  const { data } = useQuery(announcementsQuery(tag));
  const now = useMinute();
  const items = data?.items.filter(({ until }) => until === null || Date.parse(until) > now) ?? [];
  if (items.length === 0) return null;
  return (
    <ul className={classes.list} aria-label={t`Announcements`}>
      {items.map((item) => (
        <li key={item.id} className={classes.item} tabIndex={-1} data-shortcut-stop>
          <AnnouncementText item={item} />
        </li>
      ))}
    </ul>
  );
}

export function AnnouncementText({ item: { question, text, link } }: { item: Announcement }) {
  if (question !== null)
    return (
      <>
        <span className={classes.label}>{t`Pinned`}</span>
        <Link href={questionPath(question.id, question.title)} dir="auto">
          {question.title}
        </Link>
      </>
    );
  return (
    <>
      <span className={classes.label}>{t`Announcement`}</span>
      {link === '' ? (
        <span dir="auto">{text}</span>
      ) : link.startsWith('/') ? (
        <Link href={link} dir="auto">
          {text}
        </Link>
      ) : (
        <a href={link} dir="auto">
          {text}
        </a>
      )}
    </>
  );
}
