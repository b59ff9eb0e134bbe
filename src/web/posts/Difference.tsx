import { t } from '@lingui/core/macro';
import type { Revision } from '#shared/revisions.ts';
import { paragraphChanges, type Run, wordChanges } from './difference.ts';
import classes from './Revisions.module.css';

/**
 * What a version changed: words or paragraphs taken out struck through, those put in underlined. The first one is shown
 * whole.
 */
export default function Difference({ before, after }: { before: Revision | null; after: Revision }) {
  const tags = after.tags?.join(', ') ?? null;
  return (
    <div className={classes.text}>
      {after.title !== null && (
        <p className={classes.title} dir="auto">
          <Runs of={wordChanges(before?.title ?? after.title, after.title)} />
        </p>
      )}
      {paragraphChanges(before?.content ?? after.content, after.content).map((runs, index) => {
        const key = `paragraph ${index}`;
        return (
          <p key={key} className={classes.content} dir="auto">
            <Runs of={runs} />
          </p>
        );
      })}
      {tags !== null && (
        <p className={classes.tags} dir="auto">
          {t`Tags`}: <Runs of={wordChanges(before?.tags?.join(', ') ?? tags, tags || t`none`)} />
        </p>
      )}
    </div>
  );
}

function Runs({ of }: { of: readonly Run[] }) {
  return of.map(({ kind, text }, index) => {
    const key = `${index} ${kind}`;
    if (kind === 'same') return <span key={key}>{text}</span>;
    if (kind === 'out') return <del key={key}>{text}</del>;
    const isApart = of[index - 1]?.kind !== 'out' || /^\s/u.test(text);
    return (
      <span key={key}>
        {isApart ? null : ' '}
        <ins>{text}</ins>
      </span>
    );
  });
}
