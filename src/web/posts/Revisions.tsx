import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyPart } from '#web/platform/lazy-part.ts';
import { limits } from '#shared/limits.ts';
import type { RevisionEntry } from '#shared/revisions.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { NotLoaded } from '#web/ui/NotLoaded.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { Pending } from '#web/ui/Pending.tsx';
import { SkeletonLines } from '#web/ui/SkeletonLines.tsx';
import { Time } from '#web/ui/Time.tsx';
import { readRevision, readRevisions } from './post-api.ts';
import type { PostRef } from './post.ts';
import metaClasses from './PostMeta.module.css';
import classes from './Revisions.module.css';

const Difference = lazyPart(() => import('./Difference.tsx'));

/** Versions kept besides the first. */
const latest = limits.revisions - 1;

type VersionsOf = { post: PostRef; editedAt: string };

/** 'edited 2 hours ago'; opens the earlier versions, which every member may read (docs/product.md 4.5). */
export function EditedNote({ post, editedAt }: VersionsOf) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={metaClasses.edited}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Trans>
          edited <Time at={editedAt} />
        </Trans>
      </button>
      <VersionsDialog post={post} editedAt={editedAt} opened={open} onClose={() => setOpen(false)} />
    </>
  );
}

/** The versions of a post, each with what it changed. */
export function VersionsDialog(props: VersionsOf & { opened: boolean; onClose: () => void }) {
  return (
    <Dialog title={t`Versions`} size="45rem" opened={props.opened} onClose={props.onClose}>
      <Versions post={props.post} editedAt={props.editedAt} />
    </Dialog>
  );
}

function Versions({ post, editedAt }: VersionsOf) {
  const query = useInfiniteQuery({
    // An edit may join the latest version: what is known holds for this edit alone.
    queryKey: ['revisions', post.kind, post.id, editedAt],
    queryFn: ({ pageParam, signal }) => readRevisions(post, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  return (
    <PagedList
      query={query}
      noun="versions"
      keyOf={({ number }) => number}
      pending={<VersionPending />}
      empty={null}
    >
      {(versions) =>
        versions.map((version, index) => (
          <Version
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

/** The current version shows what it changed; the others do where they are opened. */
function Version({ version, isCurrent, ...of }: VersionsOf & { version: RevisionEntry; isCurrent: boolean }) {
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
            {nameOf(version, isCurrent)}{' '}
            <span className={classes.when}>
              <Time at={version.createdAt} />
            </span>
          </h3>
        </summary>
        {open && <Changes {...of} version={version} />}
      </details>
      {previous !== null && previous < number - 1 && (
        <p className={classes.gap}>
          <Trans>Only the first version and the latest {latest} are kept.</Trans>
        </p>
      )}
    </>
  );
}

function Changes({ post, editedAt, version }: VersionsOf & { version: RevisionEntry }) {
  const text = (number: number) => ({
    queryKey: ['revision', post.kind, post.id, editedAt, number],
    queryFn: ({ signal }: { signal: AbortSignal }) => readRevision(post, number, signal),
    staleTime: Infinity,
  });
  const after = useQuery(text(version.number));
  const before = useQuery({ ...text(version.previous ?? 0), enabled: version.previous !== null });
  const failed = [after, before].find(({ isError }) => isError);
  if (failed !== undefined)
    return <NotLoaded text={t`The earlier versions could not be loaded.`} query={failed} />;
  if (after.data === undefined || (version.previous !== null && before.data === undefined))
    return <VersionPending />;
  return (
    <Suspense>
      <Difference before={before.data ?? null} after={after.data} />
    </Suspense>
  );
}

function VersionPending() {
  return (
    <Pending label={t`Loading the versions`} part>
      <SkeletonLines widths={['40%', '96%', '90%', '55%']} />
    </Pending>
  );
}

function nameOf(version: RevisionEntry, isCurrent: boolean): string {
  if (isCurrent) return t`Current version`;
  return version.number === 1 ? t`First version` : t`Version ${version.number}`;
}
