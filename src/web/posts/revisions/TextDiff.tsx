import { t } from '@lingui/core/macro';
import { findLineEnd, isInCode } from '#web/editor/index.ts';
import type { PostTexts } from './PostDiff.tsx';
import { diffParagraphs, type DiffRun, diffWords } from './text-diff.ts';
import classes from './Revisions.module.css';

/** The changes of a version: removed text struck through, added text underlined. The first version is shown in full. */
export default function TextDiff({ before, after }: { before: PostTexts | null; after: PostTexts }) {
  const tags = after.tags?.join(', ') ?? null;
  return (
    <div className={classes.text}>
      {after.title !== null && (
        <p className={classes.title} dir="auto">
          <DiffRuns of={diffWords(before?.title ?? after.title, after.title)} />
        </p>
      )}
      {markCodeParagraphs(diffParagraphs(before?.content ?? after.content, after.content)).map(
        ({ runs, isCode }, index) => {
          const key = `paragraph ${index}`;
          return (
            <p key={key} className={isCode ? classes.code : classes.content} dir={isCode ? 'ltr' : 'auto'}>
              <DiffRuns of={runs} />
            </p>
          );
        },
      )}
      {tags !== null && (
        <p className={classes.tags} dir="auto">
          {t`Tags`}:{' '}
          <DiffRuns of={diffWords((before?.tags?.join(', ') ?? tags) || t`none`, tags || t`none`)} />
        </p>
      )}
    </div>
  );
}

/** The paragraphs, each with whether it is or begins a fenced code block. */
function markCodeParagraphs(
  paragraphs: readonly (readonly DiffRun[])[],
): { runs: readonly DiffRun[]; isCode: boolean }[] {
  const textSoFar = { before: '', after: '' };
  return paragraphs.map((runs) => {
    const [old, now] = (['in', 'out'] as const).map((omitted) =>
      runs.flatMap(({ kind, text }) => (kind === omitted ? [] : text)).join(''),
    ) as [string, string];
    const side = now === '' ? 'before' : 'after';
    const text = `${textSoFar[side]}${side === 'before' ? old : now}`;
    const isCode = isInCode(text, findLineEnd(text, textSoFar[side].length));
    if (old !== '') textSoFar.before += `${old}\n\n`;
    if (now !== '') textSoFar.after += `${now}\n\n`;
    return { runs, isCode };
  });
}

function DiffRuns({ of }: { of: readonly DiffRun[] }) {
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
