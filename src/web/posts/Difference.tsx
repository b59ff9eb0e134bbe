import { t } from '@lingui/core/macro';
import { diffWordsWithSpace } from 'diff';
import type { Revision } from '#shared/revisions.ts';
import classes from './Revisions.module.css';

/** Beyond this many words changed, comparing takes longer than reading: the version is shown as it is. */
const maxEditLength = 2000;

/** What a version changed: words taken out struck through, words put in underlined. The first one is shown whole. */
export default function Difference({ before, after }: { before: Revision | null; after: Revision }) {
  return (
    <div className={classes.text}>
      {after.title !== null && (
        <p className={classes.title} dir="auto">
          <Changes before={before?.title ?? null} after={after.title} />
        </p>
      )}
      <p className={classes.content} dir="auto">
        <Changes before={before?.content ?? null} after={after.content} />
      </p>
      {after.tags !== null && (
        <p className={classes.tags} dir="auto">
          {t`Tags`}:{' '}
          <Changes before={before?.tags?.join(', ') ?? null} after={after.tags.join(', ') || t`none`} />
        </p>
      )}
    </div>
  );
}

function Changes({ before, after }: { before: string | null; after: string }) {
  if (before === null || before === after) return after;
  const parts = diffWordsWithSpace(before, after, { maxEditLength });
  if (parts === undefined) return after;
  let at = 0;
  return parts.map((part) => {
    const key = `${at}${part.added ? '+' : part.removed ? '-' : '='}`;
    at += part.value.length;
    if (part.added) return <ins key={key}>{part.value}</ins>;
    if (part.removed) return <del key={key}>{part.value}</del>;
    return <span key={key}>{part.value}</span>;
  });
}
