import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { Progress } from '#web/ui/mantine/Progress.tsx';
import { useQuery } from '@tanstack/react-query';
import { useParam } from '#web/core/router.ts';
import { type ReactNode, Suspense, useId, useState } from 'react';
import type { ManagedTag as Tag, TagChangeDraft } from '#shared/moderation/managed-tags.ts';
import { hasStatus } from '#web/core/errors.ts';
import { formatCount } from '#web/core/format.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { tagPath } from '#web/core/paths.ts';
import { LoadError } from '#web/ui/LoadError.tsx';
import { NotFoundPage } from '#web/ui/MessagePage.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { ButtonLink } from '#web/ui/Link.tsx';
import page from '#web/ui/page.module.css';
import { managedTagQuery } from './managed-tags.ts';
import classes from './moderation.module.css';
import { ModerationMenu } from './ModerationMenu.tsx';
import { TagSynonyms } from './TagSynonyms.tsx';
import { TagTextsForm } from './TagTextsForm.tsx';

const TagChangeDialog = lazyComponent(() => import('./TagChangeDialog.tsx'));

/** Where moderators change a tag. */
export function ManagedTagPage() {
  const tag = useParam('tag');
  const query = useQuery(managedTagQuery(tag));
  const name = query.data?.name ?? tag;
  const isMissing = hasStatus(query.error, 404);
  usePageTitle(isMissing ? t`Page not found` : t`Edit topic`);
  const [changing, setChanging] = useState<TagChangeDraft['kind'] | null>(null);
  if (isMissing) return <NotFoundPage />;
  if (query.data === undefined)
    return query.failureCount > 0 ? (
      <LoadError text={t`The topic could not be loaded`} query={query} />
    ) : null;
  const { change } = query.data;
  return (
    <>
      <div className={page.header}>
        <PageHeading className={page.heading}>
          <span dir="auto">{name}</span>
        </PageHeading>
        <div className={page.buttons}>
          <ButtonLink href={tagPath(name)}>{t`View topic`}</ButtonLink>
          <ModerationMenu />
        </div>
      </div>
      {change !== null && <RunningChange change={change} />}
      <TagTextsForm tag={query.data} address={tag} />
      <Section heading={t`Other names`}>
        <TagSynonyms tag={query.data} />
      </Section>
      <Section heading={t`Rename or merge`}>
        <div className={classes.start}>
          <Button variant="default" disabled={change !== null} onClick={() => setChanging('rename')}>
            {t`Rename`}
          </Button>
          <Button variant="default" disabled={change !== null} onClick={() => setChanging('merge')}>
            {t`Merge into another topic`}
          </Button>
        </div>
      </Section>
      {changing !== null && (
        <Suspense>
          <TagChangeDialog kind={changing} tag={query.data} onClose={() => setChanging(null)} />
        </Suspense>
      )}
    </>
  );
}

function RunningChange({ change }: { change: NonNullable<Tag['change']> }) {
  const { kind, from, questions, questionsDone } = change;
  const done = formatCount(Math.min(questionsDone, questions));
  const total = formatCount(questions);
  const text =
    kind === 'merge'
      ? t`“${from}” is being merged: ${done} of ${total} questions have moved.`
      : t`The new name is on ${done} of ${total} questions.`;
  return (
    <output className={classes.note}>
      {text}
      <Progress
        aria-label={text}
        value={questions === 0 ? 100 : Math.min(100, (100 * questionsDone) / questions)}
      />
    </output>
  );
}

function Section({ heading, children }: { heading: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={classes.part}>
      <h2 id={id} className={classes.section}>
        {heading}
      </h2>
      {children}
    </section>
  );
}
