import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Suspense, useState } from 'react';
import type { PostRef } from '#shared/core/fields.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { SkeletonLines } from '#web/ui/Skeleton.tsx';
import { Time } from '#web/ui/Time.tsx';
import metaClasses from '#web/posts/PostMeta.module.css';

const RevisionList = lazyComponent(() => import('./Revisions.tsx'));

export type RevisionsProps = { post: PostRef; editedAt: string };

/** 'edited 2 hours ago'. Opens the earlier versions, which every member may read (docs/product.md 4.5). */
export function EditedNote({ post, editedAt }: RevisionsProps) {
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
      <RevisionsDialog post={post} editedAt={editedAt} opened={open} onClose={() => setOpen(false)} />
    </>
  );
}

/** The versions of a post. */
export function RevisionsDialog(props: RevisionsProps & { opened: boolean; onClose: () => void }) {
  return (
    <Dialog
      title={t`Versions`}
      size="45rem"
      opened={props.opened}
      onClose={props.onClose}
      closeOnClickOutside
    >
      <Suspense fallback={<RevisionSkeleton />}>
        <RevisionList post={props.post} editedAt={props.editedAt} />
      </Suspense>
    </Dialog>
  );
}

export function RevisionSkeleton() {
  return (
    <LoadingRegion label={t`Loading versions`} part>
      <SkeletonLines widths={['40%', '96%', '90%', '55%']} />
    </LoadingRegion>
  );
}
