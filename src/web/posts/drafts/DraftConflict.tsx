import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { VisuallyHidden } from '#web/ui/VisuallyHidden.tsx';
import { Suspense, useId, useLayoutEffect, useRef, useState } from 'react';
import { lazyComponent } from '#web/core/lazy.ts';
import type { DraftFields } from '#shared/posts/drafts.ts';
import type { ConflictingDraft as Choice } from './useDraft.ts';
import { Time } from '#web/ui/Time.tsx';
import classes from './DraftConflict.module.css';
import { ScrollBox } from '#web/ui/markdown/ScrollBox.tsx';
import { keepFieldInView } from '#web/editor/index.ts';

const Difference = lazyComponent(() => import('#web/posts/revisions/TextDiff.tsx'));

type Props = {
  conflict: Choice | null;
  /** The contents of the form. */
  draft: object;
  /** The member has decided. The focus returns to the form. */
  onResolved: () => void;
};

const titleOf = ({ isSeparate }: Choice) =>
  isSeparate ? t`You already have a draft of this post` : t`This draft was changed on another device`;

/** Shown when the server has another draft than the form: shows the other version and lets the member choose. */
export function DraftConflict({ conflict, draft, onResolved }: Props) {
  return (
    <div>
      <VisuallyHidden component="output">{conflict !== null && titleOf(conflict)}</VisuallyHidden>
      {conflict !== null && <DraftConflictPanel conflict={conflict} draft={draft} onResolved={onResolved} />}
    </div>
  );
}

function DraftConflictPanel({ conflict, draft, onResolved }: Props & { conflict: Choice }) {
  const id = useId();
  const [comparing, setComparing] = useState(false);
  const panel = useRef<HTMLElement>(null);
  useLayoutEffect(() => keepFieldInView(panel.current), []);
  const choose = (which: 'form' | 'other') => {
    conflict.resolve(which);
    onResolved();
  };
  return (
    <section ref={panel} aria-labelledby={id} className={classes.panel}>
      <p id={id} className={classes.title}>
        {titleOf(conflict)}
      </p>
      {conflict.writtenAt !== null && (
        <p className={classes.time}>
          <Time at={conflict.writtenAt} />
        </p>
      )}
      <ScrollBox label={t`Other version`} className={classes.text}>
        <Suspense fallback={<PlainText of={conflict.serverFields} />}>
          <Difference
            before={comparing ? toRevision(draft) : null}
            after={toRevision(conflict.serverFields)}
          />
        </Suspense>
      </ScrollBox>
      <div className={classes.buttons}>
        <Button size="xs" onClick={() => choose('other')}>
          {t`Use this version`}
        </Button>
        <Button size="xs" variant="default" aria-pressed={comparing} onClick={() => setComparing(!comparing)}>
          {t`Compare`}
        </Button>
      </div>
      <p className={classes.formNote}>
        {t`The other version is in the form below. Both are saved until you choose one.`}
      </p>
      <Button size="xs" variant="default" onClick={() => choose('form')}>
        {t`Keep the other version`}
      </Button>
    </section>
  );
}

function PlainText({ of }: { of: DraftFields }) {
  return <p dir="auto">{of['content']}</p>;
}

/** A draft in the shape that the comparison of revisions expects. */
function toRevision(draft: object) {
  const { title, content, tags }: { title?: unknown; content?: unknown; tags?: unknown } = draft;
  return {
    number: 1,
    createdAt: '',
    title: typeof title === 'string' ? title : null,
    content: typeof content === 'string' ? content : '',
    tags: typeof tags === 'string' && tags.trim() !== '' ? [tags] : null,
  };
}
