import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { limits } from '#shared/core/limits.ts';
import type { RevisionEntry } from '#shared/posts/revisions.ts';
import { Link } from '#web/ui/Link.tsx';
import { profilePath } from '#web/core/paths.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { LoadError } from '#web/ui/LoadError.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { Time } from '#web/ui/Time.tsx';
import { getRevision, listRevisions } from '#web/posts/edit-api.ts';
import { RevisionSkeleton, type RevisionsProps } from './EditedNote.tsx';
import classes from './Revisions.module.css';

const TextDiff = lazyComponent(() => import('./TextDiff.tsx'));

/** The number of stored versions besides the first. */
const latestRevisions = limits.revisions - 1;

/** The versions of a post, each with its changes. */
export default function RevisionList({ post, editedAt }: RevisionsProps) {
  const query = useInfiniteQuery({
    // A new edit may be merged into the latest version, so the cache key includes the time of the edit.
    queryKey: ['revisions', post.kind, post.id, editedAt],
    queryFn: ({ pageParam, signal }) => listRevisions(post, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  return (
    <PagedList
      query={query}
      noun="versions"
      keyOf={({ number }) => number}
      pending={<RevisionSkeleton />}
      empty={null}
    >
      {(versions) =>
        versions.map((version, index) => (
          <RevisionItem
            key={version.number}
            post={post}
            editedAt={editedAt}
            version={version}
            isCurrent={index === 0}
          />
        ))
      }
    </PagedList>
  );
}

/** The current version shows its changes; the others show them when they are expanded. */
function RevisionItem({
  version,
  isCurrent,
  ...of
}: RevisionsProps & { version: RevisionEntry; isCurrent: boolean }) {
  const [open, setOpen] = useState(isCurrent);
  const { number, previous } = version;
  return (
    <>
      <details
        className={classes.version}
        open={open}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary className={classes.summary}>
          <h3 className={classes.heading}>
            {revisionLabel(version, isCurrent)}{' '}
            <span className={classes.when}>
              <Time at={version.createdAt} />
            </span>
          </h3>
        </summary>
        {open && <RevisionChanges {...of} version={version} />}
      </details>
      {previous !== null && previous < number - 1 && (
        <p className={classes.gap}>
          <Trans>Only the first version and the latest {latestRevisions} are stored.</Trans>
        </p>
      )}
    </>
  );
}

function RevisionChanges({ post, editedAt, version }: RevisionsProps & { version: RevisionEntry }) {
  const text = (number: number) => ({
    queryKey: ['revision', post.kind, post.id, editedAt, number],
    queryFn: ({ signal }: { signal: AbortSignal }) => getRevision(post, number, signal),
    staleTime: Infinity,
  });
  const after = useQuery(text(version.number));
  const before = useQuery({ ...text(version.previous ?? 0), enabled: version.previous !== null });
  const failed = [after, before].find(({ isError }) => isError);
  if (failed !== undefined)
    return <LoadError text={t`The earlier versions could not be loaded.`} query={failed} />;
  if (after.data === undefined || (version.previous !== null && before.data === undefined))
    return <RevisionSkeleton />;
  return (
    <>
      {version.editor !== null && <RevisionEditor editor={version.editor} />}
      <Suspense>
        <TextDiff before={before.data ?? null} after={after.data} />
      </Suspense>
    </>
  );
}

/** Who wrote a version, if it was not the author, and who approved it. */
function RevisionEditor({ editor }: { editor: NonNullable<RevisionEntry['editor']> }) {
  const { id, name, approvedBy, changedOnApproval, summary } = editor;
  return (
    <p className={classes.editor} dir="auto">
      {id === null ? (
        <span>{t`Edited by ${name}`}</span>
      ) : (
        <Link href={profilePath(id)}>{t`Edited by ${name}`}</Link>
      )}
      {approvedBy !== null && (
        <span>
          {changedOnApproval ? t`changed and approved by ${approvedBy}` : t`approved by ${approvedBy}`}
        </span>
      )}
      {summary !== '' && <q className={classes.reason}>{summary}</q>}
    </p>
  );
}

function revisionLabel(version: RevisionEntry, isCurrent: boolean): string {
  if (isCurrent) return t`Current version`;
  return version.number === 1 ? t`First version` : t`Version ${version.number}`;
}
