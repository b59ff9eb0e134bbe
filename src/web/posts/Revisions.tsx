import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyPart } from '#web/platform/lazy-part.ts';
import type { Revision } from '#shared/revisions.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { NotLoaded } from '#web/ui/NotLoaded.tsx';
import { Pending } from '#web/ui/Pending.tsx';
import { SkeletonLines } from '#web/ui/SkeletonLines.tsx';
import facts from '#web/ui/facts.module.css';
import { Time } from '#web/ui/Time.tsx';
import { readRevisions } from './post-api.ts';
import type { PostRef } from './post.ts';
import metaClasses from './PostMeta.module.css';
import classes from './Revisions.module.css';

const Difference = lazyPart(() => import('./Difference.tsx'));

/** 'edited 2 hours ago'; opens the earlier versions, which every member may read (DECISIONS section 7.2). */
export function EditedNote({ post, editedAt }: { post: PostRef; editedAt: string }) {
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

/** All versions of a post, each with what it changed. */
export function VersionsDialog(props: {
  post: PostRef;
  editedAt: string;
  opened: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog title={t`Versions`} size="45rem" opened={props.opened} onClose={props.onClose}>
      <Versions post={props.post} editedAt={props.editedAt} />
    </Dialog>
  );
}

function Versions({ post, editedAt }: { post: PostRef; editedAt: string }) {
  const query = useQuery({
    queryKey: ['revisions', post.kind, post.id, editedAt],
    queryFn: ({ signal }) => readRevisions(post, signal),
  });
  if (query.isPending)
    return (
      <Pending label={t`Loading the versions`} part>
        <SkeletonLines widths={['40%', '96%', '90%', '55%']} />
      </Pending>
    );
  if (query.data === undefined)
    return <NotLoaded text={t`The earlier versions could not be loaded.`} query={query} />;
  const versions = query.data.toSorted((one, other) => other.number - one.number);
  return (
    <Suspense>
      {versions.map((version, index) => (
        <section key={version.number} className={classes.version}>
          <h3 className={`${classes.heading} ${facts.facts}`}>
            <span>{nameOf(index, version, versions.length)}</span>{' '}
            <span className={facts.fact}>
              <Time at={version.createdAt} />
            </span>
          </h3>
          <Difference before={versions[index + 1] ?? null} after={version} />
        </section>
      ))}
    </Suspense>
  );
}

function nameOf(index: number, version: Revision, count: number): string {
  if (index === 0) return t`Current version`;
  return index === count - 1 ? t`First version` : t`Version ${version.number}`;
}
